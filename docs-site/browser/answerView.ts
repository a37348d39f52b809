import type { PretradeOutput, QuoteOutput } from '../../router/index.ts';
import { checkView } from './checkView.ts';
import { el } from './dom.ts';
import { explorerLink, isSandbox, networkName } from './explorers.ts';
import { shorten } from './numbers.ts';
import { quoteView } from './quoteView.ts';
import type { Names } from './tokens.ts';

/**
 * The view of a paid answer; null for a body that is neither a quote nor a pretrade check.
 * @param isOwn whether it was bought in this browser; the swap of another quote is not sent from here, because anyone can
 * edit a link
 */
export function answerView(body: unknown, names: Names = new Map(), isOwn = false): HTMLElement | null {
  if (typeof body !== 'object' || body === null) return null;
  if ('verdict' in body && 'risk_profile' in body) return checkView(body as PretradeOutput, names);
  if ('executablePrice' in body && 'route' in body) return quoteView(body as QuoteOutput, names, isOwn);
  return null;
}

interface Receipt {
  /** Empty when nothing was settled. */
  transaction: string;
  network: string;
  payer?: string | undefined;
  paidUsd?: number;
}

/** The view of a receipt: what was charged, and where the settlement can be looked up. */
export function receiptView(receipt: Receipt, replayed: boolean): HTMLElement {
  const { transaction, network, payer, paidUsd } = receipt;
  const link = isSandbox() ? undefined : explorerLink(network, transaction);
  const hash = el('code', { title: transaction }, shorten(transaction));
  const settled = transaction
    ? el(
        'p',
        {},
        'Settled on ',
        el('span', { title: network }, networkName(network)),
        ' in ',
        link ? el('a', { href: link.url, rel: 'noreferrer', target: '_blank' }, hash, ` on ${link.name}`) : hash,
        payer ? ` by ${shorten(payer)}.` : '.',
      )
    : el('p', {}, "This wallet's free first call: signed, and nothing was charged.");
  return el(
    'div',
    { class: 'receipt', role: 'note' },
    el('strong', {}, paidUsd === undefined ? 'Receipt' : `Receipt: ${paidUsd.toFixed(2)} USD`),
    settled,
    replayed && el('p', {}, 'This payment was sent before: this is the stored answer, and nothing more was charged.'),
  );
}
