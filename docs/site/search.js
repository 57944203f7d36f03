// The search of the web site: full text of the guides and of the reference, in the browser, without a server. search_index.py
// writes the sections to search_index.js, which is loaded when the field gets the focus.
(() => {
  const WEIGHTS = {title: 10, heading: 6, name: 5, text: 1, titleOfSection: 1};
  const KINDS = {guide: 1, call: 0.85, class: 0.85, type: 0.85, concept: 0.5, inside: 0.5};
  const IGNORED = new Set(('a an and are at be by can do does from has have how i in is it its may me my of on or should that the ' +
                           'there this to was what when where which why will with').split(' '));
  // Words that the pages use for a word of a reader.
  const RELATED = {install: 'build', oversubscription: 'more threads processors', oversubscribe: 'more threads processors', priority: 'order jobs'};
  const HITS = 10, LINE = 150;  // the last one: characters of text
  const HITS_OF_A_PAGE = {guide: 3, inside: 3};  // of a page of the reference, 1
  let postings = null;  // word -> its stem, and section -> score

  // "parallel_for", "ThreadPool" and "speed-up" are found as a whole and by their parts.
  function words(text) {
    return [...text.matchAll(/\w+(?:\+\+\d*|(?:-\w+)+)?/g)].flatMap(([word]) => {
      const parts = word.split(/[-_]+|(?<=[a-z0-9])(?=[A-Z])/).filter(Boolean);
      return (parts.length > 1 ? [word.replace(/-/g, ''), ...parts] : [word]).map(part => part.toLowerCase());
    });
  }

  // Equal for most forms of a word: "nest", "nested", "nesting", "nests".
  function stem(word) {
    if (word.length < 4) return word;
    return word.replace(/(?<![sui])s$/, '').replace(/(?<=[aeiouy]..*|..[aeiouy].*)(?:ations?|ing|ed)$/, '').replace(/e$/, '')
        .replace(/y$/, 'i').replace(/([a-z])\1$/, '$1');
  }

  function build() {
    postings = new Map();
    INDEX.sections.forEach(([page, anchor, heading, text], section) => {
      const [, title, kind] = INDEX.pages[page];
      add(section, words(title), anchor ? WEIGHTS.titleOfSection : WEIGHTS.title);
      add(section, words(heading), kind === 'guide' || kind === 'inside' ? WEIGHTS.heading : WEIGHTS.name);
      add(section, words(text), WEIGHTS.text, 1 + text.length / 1500);
    });
  }

  // A short title with a word is about the word. A word counts once in a title, and more often in a text.
  function add(section, found, weight, length = 0) {
    const counts = new Map();
    for (const word of found) counts.set(word, (counts.get(word) || 0) + 1);
    for (const [word, count] of counts) {
      const share = length ? count / (count + length) : 0.5 + 0.5 / found.length;
      if (!postings.has(word)) postings.set(word, {root: stem(word), scores: new Map()});
      const {scores} = postings.get(word);
      scores.set(section, (scores.get(section) || 0) + weight * share);
    }
  }

  // The score of each section that has a form of the word, or a word that begins with it.
  function scoresOf(word, isPrefix) {
    const found = new Map(), wanted = stem(word);
    for (const [other, {root, scores}] of postings) {
      const begins = isPrefix && other.startsWith(word) ? 0.6 * word.length / other.length : 0;
      const share = other === word ? 1 : root === wanted ? 0.75 : begins;
      if (share) scores.forEach((score, section) => found.set(section, Math.max(found.get(section) || 0, share * score)));
    }
    return found;
  }

  // The best sections for a query: those with all words first, rare words count more.
  function search(query) {
    const all = [...query.toLowerCase().matchAll(/\w+(?:\+\+\d*)?/g)].flatMap(([word]) => [word, ...(RELATED[word] || '').split(' ').filter(Boolean)]);
    const wanted = all.some(word => !IGNORED.has(word)) ? all.filter(word => !IGNORED.has(word)) : all;
    const totals = new Map(), matches = new Map(), phrase = all.join(' ');
    wanted.forEach((word, i) => {
      const found = scoresOf(word, i === wanted.length - 1), rarity = Math.log(1 + INDEX.sections.length / found.size);
      found.forEach((score, section) => {
        totals.set(section, (totals.get(section) || 0) + rarity * score);
        matches.set(section, (matches.get(section) || 0) + 1);
      });
    });
    const ranked = [...totals].map(([section, total]) => {
      const [page, , heading, text] = INDEX.sections[section];
      const has = where => all.length > 1 && where.toLowerCase().replace(/[^a-z0-9+]+/g, ' ').includes(phrase);
      const near = has(heading) ? 2 : has(text) ? 1.5 : 1;
      return {section, score: total * near * KINDS[INDEX.pages[page][2]] * (matches.get(section) / wanted.length) ** 2};
    }).sort((a, b) => b.score - a.score || a.section - b.section);
    const hits = [], seen = new Map();
    for (const {section} of ranked) {
      const [page, anchor, heading, text] = INDEX.sections[section], [file, title, kind] = INDEX.pages[page];
      const count = seen.get(page) || 0;
      if (count === (HITS_OF_A_PAGE[kind] || 1)) continue;
      seen.set(page, count + 1);
      hits.push({link: file + (anchor && '#' + anchor), title, heading, text});
      if (hits.length === HITS) break;
    }
    const stems = wanted.map(word => stem(word).replace(/\+/g, '\\+').replace(/i$/, '[iy]'));
    return {hits, pattern: new RegExp(`\\b(${stems.join('|')})\\w*`, 'gi')};
  }

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  // The part of the text around the first word of the query, with such words marked.
  function line(text, pattern) {
    const first = Math.max(text.search(pattern), 0), begin = first < LINE / 2 ? 0 : text.indexOf(' ', first - LINE / 3) + 1;
    const goesOn = begin + LINE < text.length, part = text.slice(begin, begin + LINE).replace(goesOn ? /\s\S*$/ : '', '');
    const result = element('span', {className: 'line'}, begin ? '… ' : '');
    let end = 0;
    for (const match of part.matchAll(pattern)) {
      result.append(part.slice(end, match.index), element('mark', {}, match[0]));
      end = match.index + match[0].length;
    }
    result.append(part.slice(end), goesOn ? ' …' : '');
    return result;
  }

  const field = element('input', {type: 'search', id: 'search-field', placeholder: 'Search', accessKey: 's', autocomplete: 'off'});
  const list = element('div', {id: 'search-hits', hidden: true});
  const form = element('form', {id: 'search'}, field, list);
  field.setAttribute('aria-label', 'Search');
  form.setAttribute('role', 'search');
  list.setAttribute('aria-live', 'polite');

  function show() {
    if (!postings) return;
    list.hidden = !/\w/.test(field.value);
    if (list.hidden) return;
    const {hits, pattern} = search(field.value);
    list.replaceChildren(...hits.map(({link, title, heading, text}) => element('a', {href: link, onclick: () => { list.hidden = true; }},
        element('b', {}, heading.startsWith(title) ? heading : heading ? `${title}: ${heading}` : title), line(text, pattern))));
    if (!hits.length) list.append(element('p', {}, 'Nothing found.'));
  }

  field.addEventListener('focus', () => {
    document.head.append(element('script', {src: 'search_index.js', onload: () => { build(); show(); }}));
  }, {once: true});
  field.addEventListener('focus', show);
  field.addEventListener('input', show);
  form.addEventListener('submit', event => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  form.addEventListener('keydown', event => {
    const stops = [field, ...list.querySelectorAll('a')], step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (event.key === 'Escape') list.hidden = true;
    if (!step || list.hidden) return;
    event.preventDefault();
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
  });
  document.addEventListener('click', event => { if (!form.contains(event.target)) list.hidden = true; });
  document.querySelector('header').append(form);
})();
