import type { PretradeOutput, QuoteOutput } from '../../router/index.ts';
import { checkView } from './checkView.ts';
import { el } from './dom.ts';
import { shorten } from './numbers.ts';
import { type Names, quoteView } from './quoteView.ts';

/** The picture of a paid answer; null for a body that is neither a quote nor a check. */
export function answerView(body: unknown, names: Names = new Map()): HTMLElement | null {
  if (typeof body !== 'object' || body === null) return null;
  if ('verdict' in body && 'risk_profile' in body) return checkView(body as PretradeOutput);
  if ('executablePrice' in body && 'route' in body) return quoteView(body as QuoteOutput, names);
  return null;
}

interface Receipt {
  /** Empty when nothing was settled. */
  transaction: string;
  network: string;
  payer?: string | undefined;
}

/** What was paid, in words. */
export function receiptView(receipt: Receipt, replayed: boolean): HTMLElement {
  const { transaction, network, payer } = receipt;
  const settled = transaction
    ? el(
        'p',
        {},
        'Settled on ',
        network,
        ' in ',
        el('code', { title: transaction }, shorten(transaction)),
        payer ? ` by ${shorten(payer)}.` : '.',
      )
    : el('p', {}, "This wallet's free first call: signed, and nothing was taken.");
  return el(
    'div',
    { class: 'receipt', role: 'note' },
    el('strong', {}, 'Receipt'),
    settled,
    replayed && el('p', {}, 'The same payment came again: the stored answer, not charged twice.'),
  );
}
