import type { PretradeOutput, QuoteOutput } from '../../router/index.ts';
import { checkView } from './checkView.ts';
import { el } from './dom.ts';
import { shorten } from './numbers.ts';
import { type Names, quoteView } from './quoteView.ts';

/** The view of a paid answer; null for a body that is neither a quote nor a pretrade check. */
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

/** The view of a receipt. */
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
    : el('p', {}, "This wallet's free first call: signed, and nothing was charged.");
  return el(
    'div',
    { class: 'receipt', role: 'note' },
    el('strong', {}, 'Receipt'),
    settled,
    replayed && el('p', {}, 'This payment was sent before: this is the stored answer, and nothing more was charged.'),
  );
}
