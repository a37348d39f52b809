import type { QuoteOutput } from '../../router/index.ts';
import { el } from './dom.ts';
import { flowDiagram } from './flowDiagram.ts';
import { shorten, toFigure, toRounded, toWhole } from './numbers.ts';
import { resizableFigure } from './resizableFigure.ts';
import { isSinglePath, type RouteEdge, type RouteGraph, sameAddress, toRouteGraph } from './routeGraph.ts';
import type { TokenFacts } from './tokens.ts';

type FactsOf = (address: string) => TokenFacts;

/** The route: a flow diagram, and its legs in an executable order with their exact amounts. */
export function routeView(quote: QuoteOutput, factsOf: FactsOf): HTMLElement {
  const nameOf = (address: string) => factsOf(address).symbol;
  const graph = toRouteGraph(quote.route, quote.tokenIn);
  const split = !isSinglePath(quote.route);
  const labels = graph.edges.map(
    ({ leg, share }, index) =>
      `${index + 1}: ${percent(share)} of the order, ${nameOf(leg.tokenIn)} to ${nameOf(leg.tokenOut)} on ${leg.venue}`,
  );
  return el(
    'div',
    { class: 'route' },
    resizableFigure('flow-box', (width) => flowDiagram(graph, nameOf, width, `Route. ${labels.join('. ')}.`)),
    split &&
      el(
        'p',
        { class: 'under' },
        'The order is split: a leg does not always sell what the leg before it bought. Execute each with its own amount, in this order.',
      ),
    legList(quote, graph, split, factsOf),
  );
}

/** More legs than fit beside the other figures are shown on request. */
const maxOpenLegs = 6;

function legList(quote: QuoteOutput, { edges }: RouteGraph, split: boolean, factsOf: FactsOf): HTMLElement {
  const list = el(
    'ol',
    { class: split ? 'legs split' : 'legs' },
    ...edges.map(({ leg }, index) => legView(leg, index, quote, factsOf)),
  );
  return edges.length > maxOpenLegs
    ? el('details', {}, el('summary', {}, `All ${edges.length} legs with their amounts`), list)
    : list;
}

function legView(
  leg: RouteEdge['leg'],
  index: number,
  { tokenIn, tokenOut, decimals }: QuoteOutput,
  factsOf: FactsOf,
): HTMLElement {
  const nameOf = (address: string) => factsOf(address).symbol;
  const amount = (units: string, token: string) => {
    // The answer omits the decimals of intermediate tokens; the token list contains those of listed tokens.
    const known = sameAddress(token, tokenIn)
      ? decimals.in
      : sameAddress(token, tokenOut)
        ? decimals.out
        : factsOf(token).decimals;
    return known === undefined
      ? `${units} base units of ${nameOf(token)}`
      : `${toWhole(units, known)} ${nameOf(token)}`;
  };
  return el(
    'li',
    {},
    el('span', { class: 'step', 'aria-hidden': 'true' }, index + 1),
    el('strong', {}, `${nameOf(leg.tokenIn)} → ${nameOf(leg.tokenOut)}`),
    ` ${leg.shareBps / 100} % of its ${nameOf(leg.tokenIn)}`,
    el(
      'div',
      { class: 'under' },
      `${amount(leg.amountIn, leg.tokenIn)} → ${amount(leg.amountOut, leg.tokenOut)}`,
      el('br'),
      `${leg.venue}, fee ${toFigure(leg.feePips / 10_000)} %, pool `,
      el('code', { title: leg.pool }, shorten(leg.pool)),
    ),
  );
}
const percent = (share: number) => `${toRounded(share * 100)} %`;
