// The buttons of the web site: menu, theme, and copies of code.
const root = document.documentElement;
try { root.dataset.theme = localStorage.getItem('theme') || ''; } catch { /* no storage */ }

function button(text, label, properties) {
  const made = Object.assign(document.createElement('button'), {type: 'button', textContent: text, ...properties});
  made.setAttribute('aria-label', label);
  return made;
}

document.addEventListener('DOMContentLoaded', () => {
  const header = document.querySelector('header');
  // In a narrow window, a button shows and hides the menu.
  const menu = button('☰', 'Menu', {id: 'menu'});
  menu.setAttribute('aria-controls', 'side-nav');
  const show = shown => {
    document.body.classList.toggle('menu-shown', shown);
    menu.setAttribute('aria-expanded', shown);
  };
  menu.addEventListener('click', () => show(!document.body.classList.contains('menu-shown')));
  show(false);
  header.prepend(menu);
  document.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest'});

  // Light or dark: the system's choice, until the reader chooses.
  const isDark = () => (root.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const theme = button('◐', 'Light or dark', {id: 'theme', title: 'Light or dark'});
  theme.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem('theme', root.dataset.theme); } catch { /* no storage */ }
  });
  header.append(theme);

  for (const code of document.querySelectorAll('pre.code')) {
    const copy = button('Copy', 'Copy the code', {className: 'copy'});
    copy.addEventListener('click', async () => {
      const copied = code.querySelector('code').cloneNode(true);
      copied.querySelectorAll('.lineno').forEach(number => number.remove());
      await navigator.clipboard.writeText(copied.textContent + '\n');
      copy.textContent = 'Copied';
      setTimeout(() => { copy.textContent = 'Copy'; }, 1500);
    });
    const block = document.createElement('div');
    block.className = 'block';
    code.replaceWith(block);
    block.append(code, copy);
  }
  const contents = document.getElementById('toc');
  if (contents && !matchMedia('(min-width: 1200px)').matches) contents.open = false;
});
