/**
 * Runs in a page of the portal, with the result that an evaluated template would have. Returns each name that is more
 * than text, reverses the text beside it, or does not fit.
 */
export function harmOn(filledIn: string): string[] {
  const harm: string[] = [];
  const { documentElement: root, title } = document;
  if (root.scrollWidth > innerWidth) harm.push(`wider than the screen: ${root.scrollWidth}`);
  if (
    document.querySelector('[data-hostile], [onerror], body script, body style, main img') ||
    title.includes(filledIn)
  )
    harm.push('markup is taken for markup');
  if (!title.endsWith('· Developer portal')) harm.push(`title: ${title}`);

  // Characters that can reverse text: marks, embeddings, overrides, isolates, and letters of right-to-left scripts.
  const turns = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\u0590-\u05ff]/;
  const controls = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const { data, parentElement: element } = text as Text;
    if (element === null) continue;
    if (data.includes(filledIn)) harm.push(`a template is filled in: ${data}`);
    if (element.tagName === 'OPTION' || element.closest('[role=status]')) {
      // The browser itself draws the list, and a message is one text. So only characters can separate its parts.
      const parts = data.split(/\u2068[^\u2066-\u2069\u202a-\u202e]*\u2069/).join('');
      if (turns.test(parts)) harm.push(`an option or a message turns what is beside the name: ${data}`);
      continue;
    }
    if (!turns.test(data)) continue;
    seen++;
    // The nearest box with its own lines: it may contain only the name.
    let box: Element | null = element;
    while (box && getComputedStyle(box).display === 'inline') box = box.parentElement;
    if (box?.textContent !== data)
      harm.push(`${data.replaceAll(controls, '·')} turns what is beside it in ${element.outerHTML.slice(0, 80)}`);
  }
  for (const name of document.querySelectorAll('bdi')) {
    const isPiled = /\p{M}{20}/u.test(name.textContent);
    if (isPiled && getComputedStyle(name).overflow !== 'clip')
      harm.push('marks are drawn over what is beside the name');
  }
  if (seen === 0) harm.push('no name is shown');
  return [...new Set(harm)];
}
