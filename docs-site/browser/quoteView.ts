import type { QuoteOutput } from '../../router/index.ts';
import { depthView } from './depthView.ts';
import { el } from './dom.ts';
import { leastReceivedView } from './leastReceived.ts';
import { shorten, toFigure, toMoney, toPercent, toTime, toWhole } from './numbers.ts';
import { routeView } from './routeView.ts';
import { tokenIcon } from './tokenIcon.ts';
import { type Names, nameKey } from './tokens.ts';
import { transactionView } from './transactionView.ts';

type NameOf = (address: string) => string;

/** A figure of the answer: its name, its value in one or more lines, and a sentence that explains it. */
interface Figure {
  name: string;
  values: string[];
  meaning: string;
}

/** The view of a quote: amount received, price and its parts, route and depth. */
export function quoteView(quote: QuoteOutput, names: Names, isOwn: boolean): HTMLElement {
  const listed = (address: string) => names.get(nameKey(quote.chain, address));
  const factsOf = (address: string) => listed(address) ?? { symbol: shorten(address) };
  const nameOf: NameOf = (address) => factsOf(address).symbol;
  const routed = quote.amountOut !== '0';
  const [reason, help] = noRouteTexts(quote);
  const sold = `${toWhole(quote.amountIn, quote.decimals.in)} ${nameOf(quote.tokenIn)}`;
  const received = `${toWhole(quote.amountOut, quote.decimals.out)} ${nameOf(quote.tokenOut)}`;
  const valueIn = gasFlag(quote)?.valueInUsd;
  const valueOut = gasFlag(quote)?.valueOutUsd;
  return el(
    'div',
    { class: 'answer' },
    el(
      'div',
      { class: 'result' },
      routed && tokenIcon(quote.chain, quote.tokenOut, listed(quote.tokenOut)?.symbol ?? '', 34),
      el('p', { class: 'headline' }, routed ? received : reason),
      routed && valueOut !== undefined && el('p', { class: 'worth' }, inUsd(valueOut)),
    ),
    !routed && el('p', {}, help),
    el(
      'p',
      { class: 'under' },
      `for ${sold}${isPriced(valueIn) ? ` (${toMoney(valueIn)})` : ''} on ${quote.chain}, ${routed ? 'executed' : 'read'} at block ${quote.blockNumber}, ${toTime(quote.ts)}`,
    ),
    routed && leastReceivedView(quote, nameOf(quote.tokenOut)),
    el(
      'div',
      { class: 'columns' },
      el('div', {}, routed && figureList(figuresOf(quote, nameOf)), flagList(quote)),
      routed && el('div', {}, el('h3', {}, 'Route'), routeView(quote, factsOf)),
      routed && el('div', {}, el('h3', {}, 'Price by size'), depthView(quote, nameOf)),
    ),
    routed && transactionView(quote, nameOf, isOwn),
  );
}

/** Why there is no route, in one sentence, and the rest of the message: what would help. */
function noRouteTexts({ flags }: QuoteOutput): [string, string] {
  const text = String(flags.find(({ code }) => code === 'NO_ROUTE')?.message ?? 'No venue fills this size.');
  const end = text.search(/[.!?] /) + 1;
  return end > 0 ? [text.slice(0, end), text.slice(end + 1)] : [text, ''];
}

const gasFlag = ({ flags }: QuoteOutput) => flags.find(({ code }) => code === 'ROUTE_GAS');

// A link may carry any value here.
const isPriced = (usd: unknown): usd is number => typeof usd === 'number' && Number.isFinite(usd);
const inUsd = (usd: unknown) => (isPriced(usd) ? toMoney(usd) : 'USD value not known');

function figuresOf(quote: QuoteOutput, nameOf: NameOf): Figure[] {
  const [sold, bought] = [nameOf(quote.tokenIn), nameOf(quote.tokenOut)];
  const gas = gasFlag(quote)?.gas;
  return [
    {
      name: 'Price',
      values: [
        `1 ${sold} = ${toFigure(quote.executablePrice)} ${bought}`,
        `1 ${bought} = ${toFigure(1 / quote.executablePrice)} ${sold}`,
      ],
      meaning: 'The average price of the whole order, with fees and taxes.',
    },
    {
      name: 'Mid price',
      values: [quote.spotPrice === null ? 'not known' : `1 ${sold} = ${toFigure(quote.spotPrice)} ${bought}`],
      meaning: 'The price of a very small trade in the deepest pool, without fees.',
    },
    {
      name: 'Price impact',
      values: [belowMid(quote.priceImpactBps)],
      meaning: 'How far your price is below the mid price, fees included.',
    },
    {
      name: 'If the same order executes first',
      values: [belowMid(quote.worstCaseSlippageBps)],
      meaning: 'The price impact of your order if someone executes an equal one just before it.',
    },
    {
      name: 'Price is 1\u00a0% lower at',
      values: [quote.depthAtSize > 0 ? `${toFigure(quote.depthAtSize)} ${sold} or more` : 'not known'],
      meaning: 'The size at which the price falls to 1 % below yours. It is a lower bound.',
    },
    ...(typeof gas === 'number'
      ? [
          {
            name: 'Gas of the swaps',
            values: [inUsd(gasFlag(quote)?.gasUsd), `${toFigure(gas)} gas`],
            meaning: 'Valued at the base fee of the block. The transaction and its router use more.',
          },
        ]
      : []),
    {
      name: 'Confidence',
      values: [quote.confidence],
      meaning: 'How much of this answer is proven. The guide “How to read a quote” has the rule.',
    },
  ];
}

const belowMid = (bps: number | null) => (bps === null ? 'not known' : toPercent(bps / 10_000));

/** Each name opens the sentence that explains its value. */
function figureList(figures: readonly Figure[]): HTMLElement {
  return el(
    'dl',
    { class: 'figures' },
    ...figures.map(({ name, values, meaning }) =>
      el(
        'div',
        {},
        el('dt', {}, el('details', { class: 'meaning' }, el('summary', {}, name), el('p', {}, meaning))),
        ...values.map((value) => el('dd', {}, value)),
      ),
    ),
  );
}

/** Flags whose facts are not shown elsewhere. */
function flagList({ flags, amountOut }: QuoteOutput): HTMLElement | null {
  const isShown = (code: string) => code === 'ROUTE_GAS' || (code === 'NO_ROUTE' && amountOut === '0');
  // Some flags repeat for every leg; the JSON has their facts.
  const rest = uniqueBy(
    flags.filter(({ code }) => !isShown(code)),
    ({ code, message }) => code + message,
  );
  if (rest.length === 0) return null;
  const items = rest.map(({ code, severity, message }) =>
    el('li', { class: severity }, el('strong', {}, code), ' ', ...withShortHex(message)),
  );
  return el('div', {}, el('h3', {}, 'Flags'), el('ul', { class: 'flags' }, ...items));
}

/** Addresses and ids in a text are shortened; the pointer shows all of them. */
const withShortHex = (text: string): (string | HTMLElement)[] =>
  text
    .split(/(0x[0-9a-fA-F]{40,64})/)
    .map((part, index) => (index % 2 === 0 ? part : el('code', { class: 'addr', title: part }, shorten(part))));

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
