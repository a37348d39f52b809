import { el } from './dom.ts';
import { shorten, toWhole } from './numbers.ts';
import type { SharedAnswer } from './permalink.ts';
import type { Names } from './tokens.ts';

// The answers that were bought in this browser. They stay until the user deletes them, or newer ones take their place.

const storageKey = 'truefill.answers';
const maxKept = 30;

function read(): SharedAnswer[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(kept) ? kept : [];
  } catch {
    // Storage is blocked, or another program has changed the text.
    return [];
  }
}

function write(answers: readonly SharedAnswer[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(answers));
  } catch {
    // Without storage or space an answer is kept by its link only.
  }
}

/** Stores an answer that was bought here; the newest is the first. */
export function keepAnswer(answer: SharedAnswer): void {
  write([answer, ...read().filter((kept) => !isSame(kept, answer))].slice(0, maxKept));
}

/** Whether this answer was bought in this browser. */
export const isKept = (answer: SharedAnswer): boolean => read().some((kept) => isSame(kept, answer));

const isSame = (a: SharedAnswer, b: SharedAnswer) => JSON.stringify(a.answer) === JSON.stringify(b.answer);

/** Fills the list of answers; hides it if there is none. */
export function showKept(section: HTMLElement, names: Names, onOpen: (answer: SharedAnswer) => void): void {
  const answers = read();
  section.hidden = answers.length === 0;
  const items = answers.map((answer) => {
    const open = el('button', { type: 'button', class: 'link' }, describe(answer, names));
    open.addEventListener('click', () => onOpen(answer));
    const drop = el('button', { type: 'button', class: 'link' }, 'Delete');
    drop.addEventListener('click', () => {
      write(read().filter((kept) => !isSame(kept, answer)));
      showKept(section, names, onOpen);
    });
    return el('li', {}, open, ' ', el('span', { class: 'under' }, `${timeOf(answer)} `), drop);
  });
  section.querySelector('ul')?.replaceChildren(...items);
}

function describe({ request, answer }: SharedAnswer, names: Names): string {
  const text = (name: string) => String((answer as Record<string, unknown>)[name] ?? '');
  const nameOf = (address: string) => names.get(address.toLowerCase())?.symbol ?? shorten(address);
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
