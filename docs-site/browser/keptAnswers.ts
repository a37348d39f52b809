import { el } from './dom.ts';
import { shorten, toWhole } from './numbers.ts';
import type { SharedAnswer } from './permalink.ts';
import { storedItems } from './storedItems.ts';
import { type Names, nameKey } from './tokens.ts';

// The answers that were bought in this browser. They stay until the user deletes them, or newer ones take their place.

const answers = storedItems<SharedAnswer>('truefill.answer.');
const maxKept = 30;

/** The newest first. */
const readAll = () => answers.read().reverse();

/** Stores an answer that was bought here; the newest is the first. */
export function keepAnswer(answer: SharedAnswer): void {
  const earlier = readAll();
  try {
    answers.add(answer);
  } catch {
    // Without storage or space an answer is kept by its link only.
    return;
  }
  const others = earlier.filter(({ value }) => !isSame(value, answer));
  for (const { key } of [...earlier.filter((each) => !others.includes(each)), ...others.slice(maxKept - 1)])
    answers.remove(key);
}

/** Calls back when another tab stores or deletes an answer. */
export const watchKept = (onChange: () => void): void => answers.watch(onChange);

/** Whether this answer was bought in this browser. */
export const isKept = (answer: SharedAnswer): boolean => readAll().some(({ value }) => isSame(value, answer));

const isSame = (a: SharedAnswer, b: SharedAnswer) => JSON.stringify(a.answer) === JSON.stringify(b.answer);

/** Fills the list of answers; hides it if there is none. */
export function showKept(section: HTMLElement, names: Names, onOpen: (answer: SharedAnswer) => void): void {
  const kept = readAll();
  section.hidden = kept.length === 0;
  const items = kept.map(({ key, value: answer }) => {
    const open = el('button', { type: 'button', class: 'link' }, describe(answer, names));
    open.addEventListener('click', () => onOpen(answer));
    const drop = el('button', { type: 'button', class: 'link' }, 'Delete');
    drop.addEventListener('click', () => {
      answers.remove(key);
      showKept(section, names, onOpen);
    });
    return el('li', {}, open, ' ', el('span', { class: 'under' }, `${timeOf(answer)} `), drop);
  });
  section.querySelector('ul')?.replaceChildren(...items);
}

function describe({ request, answer }: SharedAnswer, names: Names): string {
  const text = (name: string) => String((answer as Record<string, unknown>)[name] ?? '');
  const nameOf = (address: string) => names.get(nameKey(text('chain') || 'base', address))?.symbol ?? shorten(address);
  if ('verdict' in answer) return `${nameOf(text('token'))}: ${text('verdict')}`;
  const { decimals } = answer as { decimals?: { in: number; out: number } };
  if (!decimals) return request.path;
  const sold = `${toWhole(text('amountIn'), decimals.in)} ${nameOf(text('tokenIn'))}`;
  return `${sold} to ${toWhole(text('amountOut'), decimals.out)} ${nameOf(text('tokenOut'))} on ${text('chain')}`;
}

function timeOf({ answer }: SharedAnswer): string {
  const { ts } = answer as { ts?: number };
  return typeof ts === 'number' ? new Date(ts).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' }) : '';
}
