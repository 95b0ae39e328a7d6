// Finding elements in a page as a person names them, through open shadow roots.

/** Runs in a page, as text: whatever it uses is inside of it. Returns the elements that the steps of `chain` lead to. */
export function find(chain) {
  const normal = (text) => text.replace(/\s+/g, ' ').trim();
  const fits = (text, wanted, exact) => {
    if (wanted?.source !== undefined) return new RegExp(wanted.source, wanted.flags).test(normal(text));
    return exact ? normal(text) === normal(wanted) : normal(text).toLowerCase().includes(normal(wanted).toLowerCase());
  };
  const up = (node) => node.parentElement ?? node.getRootNode().host;
  const below = (scope) => {
    const all = [];
    const walk = (root) => {
      for (const child of root.children) {
        all.push(child);
        if (child.shadowRoot) walk(child.shadowRoot);
        walk(child);
      }
    };
    if (scope.shadowRoot) walk(scope.shadowRoot);
    walk(scope);
    return all;
  };
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  /** Cut at commas or at blanks, but not within brackets or strings, nor at a blank beside a combinator. */
  const cut = (selector, at) => {
    const parts = [''];
    let depth = 0;
    let quote = '';
    for (const letter of selector.replace(/\s*([>+~])\s*(?![^[(]*[\])])/g, '$1')) {
      if (quote) quote = letter === quote ? '' : quote;
      else if (letter === '"' || letter === "'") quote = letter;
      else if ('[('.includes(letter)) depth += 1;
      else if ('])'.includes(letter)) depth -= 1;
      if (letter === at && depth === 0 && !quote) parts.push('');
      else parts[parts.length - 1] += letter;
    }
    return parts.filter((part) => part !== '');
  };
  const matches = (element, parts) => {
    if (!element.matches(parts.at(-1))) return false;
    if (parts.length === 1) return true;
    for (let node = up(element); node; node = up(node)) if (matches(node, parts.slice(0, -1))) return true;
    return false;
  };
  const css = (scope, selector) => {
    const wanted = cut(selector, ',').map((one) => cut(one.trim(), ' '));
    return below(scope).filter((element) => wanted.some((parts) => matches(element, parts)));
  };
  const words = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(node.tagName)) return '';
    return [...(node.shadowRoot?.childNodes ?? node.childNodes)].map(words).join('');
  };
  const content = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE || node.ariaHidden === 'true' || !seen(node)) return '';
    return node.getAttribute('aria-label') ?? [...node.childNodes].map(content).join(getComputedStyle(node).display === 'inline' ? '' : ' ');
  };
  const labels = (element) => {
    const root = element.getRootNode();
    const by = element.getAttribute('aria-labelledby');
    if (by) return by.split(' ').map((id) => root.getElementById(id)?.textContent ?? '').join(' ');
    return element.getAttribute('aria-label') ?? (element.labels?.length > 0 ? [...element.labels].map((label) => label.textContent).join(' ') : null);
  };
  const ROLES = {
    button: 'button, summary, input:is([type=button], [type=submit]), [role=button]',
    textbox: 'textarea, input:not([type]), input:is([type=text], [type=email], [type=url], [type=password], [type=tel]), [role=textbox]',
    checkbox: 'input[type=checkbox]:not([role]), [role=checkbox]',
    radio: 'input[type=radio], [role=radio]',
    dialog: 'dialog:not([role]), [role=dialog]',
    combobox: 'select, [role=combobox]',
    spinbutton: 'input[type=number], [role=spinbutton]',
    link: 'a[href], [role=link]',
    heading: 'h1, h2, h3, h4, h5, h6, [role=heading]',
    list: 'ul, ol, [role=list]',
    listitem: 'li, [role=listitem]',
    group: 'fieldset, details, [role=group]',
    table: 'table, [role=table]',
    row: 'tr, [role=row]',
    region: 'section[aria-label], section[aria-labelledby], [role=region]',
    searchbox: 'input[type=search]',
    option: 'option, [role=option]',
    article: 'article, [role=article]',
  };
  const STEPS = {
    css: (scopes, selector) => scopes.flatMap((scope) => css(scope, selector)),
    role: (scopes, role, name, exact) =>
      scopes.flatMap((scope) => css(scope, ROLES[role] ?? `[role=${role}]`)).filter((element) => {
        if (!seen(element) || element.closest('[aria-hidden=true]')) return false;
        if (element.hasAttribute('role') && element.getAttribute('role') !== role) return false;
        return name === undefined || name === null || fits(labels(element) ?? (content(element) || element.title), name, exact);
      }),
    text: (scopes, text, exact) =>
      scopes.flatMap((scope) => {
        const hit = new Set(below(scope).filter((element) => !['SCRIPT', 'STYLE', 'HEAD', 'TITLE'].includes(element.tagName) && fits(words(element), text, exact)));
        return [...hit].filter((element) => ![...(element.shadowRoot?.children ?? []), ...element.children].some((child) => hit.has(child)));
      }),
    label: (scopes, text, exact) =>
      scopes.flatMap((scope) => css(scope, 'input, textarea, select, button, output, [aria-label], [aria-labelledby]')).filter((element) => {
        const named = labels(element);
        return named !== null && fits(named, text, exact);
      }),
    nth: (scopes, place) => [scopes.at(place)].filter(Boolean),
  };
  const follow = (from, steps) => steps.reduce((scopes, [step, ...how]) => [...new Set(STEPS[step](scopes, ...how))], from);
  return follow([document], chain);
}
