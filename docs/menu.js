// In a narrow window, a button in the head of the page shows and hides the navigation tree (style.css).
const button = document.createElement('button');
button.id = 'menu';
button.type = 'button';
button.textContent = '☰';
button.setAttribute('aria-label', 'Menu');
button.setAttribute('aria-controls', 'side-nav');

function show(shown) {
  document.body.classList.toggle('menu-shown', shown);
  button.setAttribute('aria-expanded', shown);
}

button.addEventListener('click', () => show(!document.body.classList.contains('menu-shown')));
// A link of the tree to a place in this page.
window.addEventListener('hashchange', () => show(false));
const cell = document.createElement('td');
cell.id = 'menu-cell';
cell.append(button);
document.getElementById('projectrow').prepend(cell);
show(false);
