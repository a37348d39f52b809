import { el } from './dom.ts';

/** Narrowest drawing, for a box that has no width yet. */
const leastWidth = 260;

/** A figure that is drawn anew for the width of its box, so that its text has the size of the page's. */
export function drawn(name: string, draw: (width: number) => SVGElement): HTMLElement {
  const box = el('div', { class: name });
  let width = 0;
  new ResizeObserver(([entry]) => {
    const now = Math.max(leastWidth, Math.floor(entry?.contentRect.width ?? 0));
    if (now === width) return;
    width = now;
    box.replaceChildren(draw(now));
  }).observe(box);
  return box;
}
