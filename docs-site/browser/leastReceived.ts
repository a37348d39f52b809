import type { QuoteOutput } from '../../router/index.ts';
import { el } from './dom.ts';
import { toWhole } from './numbers.ts';

/** Selectable slippage, in basis points. */
const choices = [10, 50, 100, 300];
const storageKey = 'truefill.slippageBps';

/** The smallest amount at a slippage, in base units, rounded down. */
export const leastReceived = (amountOut: string, slippageBps: number): bigint =>
  (BigInt(amountOut) * BigInt(10_000 - slippageBps)) / 10_000n;

/** The amount below which the user lets the swap fail, by the slippage that the user selects. */
export function leastReceivedView({ amountOut, decimals }: QuoteOutput, symbol: string): HTMLElement {
  const value = el('strong', {});
  const select = el('select', { 'aria-label': 'Slippage' });
  for (const bps of choices) select.append(el('option', { value: bps }, `${bps / 100} %`));
  const show = () => {
    value.textContent = `${toWhole(leastReceived(amountOut, Number(select.value)).toString(), decimals.out)} ${symbol}`;
  };
  select.value = String(chosenSlippageBps());
  select.addEventListener('change', () => {
    keep(select.value);
    show();
  });
  show();
  return el('p', { class: 'least' }, 'At least ', value, ' with a slippage of ', select);
}

/** The slippage that the user selected last, in basis points. */
export function chosenSlippageBps(): number {
  const kept = Number(recall());
  return choices.includes(kept) ? kept : 50;
}

// A browser that blocks storage forgets the choice.
function recall(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function keep(value: string): void {
  try {
    localStorage.setItem(storageKey, value);
  } catch {
    // See `recall`.
  }
}
