import { el } from './dom.ts';

/** Narrowest drawing, for a box that has no width yet. */
const minWidth = 260;

/** A figure that is redrawn when its box changes width, so that its text keeps the page's font size. */
export function resizableFigure(name: string, draw: (width: number) => SVGElement): HTMLElement {
  const box = el('div', { class: name });
  let width = 0;
  new ResizeObserver(([entry]) => {
    const now = Math.max(minWidth, Math.floor(entry?.contentRect.width ?? 0));
    if (now === width) return;
    width = now;
    box.replaceChildren(draw(now));
  }).observe(box);
  return box;
}
