import type { QuoteOutput } from '../../router/index.ts';

type Leg = QuoteOutput['route']['legs'][number];

/** A token of the route. `share` is the part of the whole order that flows through it, between 0 and 1. */
export interface RouteNode {
  token: string;
  /** Longest path from tokenIn, in legs: its column in the diagram. */
  column: number;
  share: number;
}

/** A leg with the part of the whole order that it carries. */
export interface RouteEdge {
  leg: Leg;
  from: number;
  to: number;
  share: number;
}

export interface RouteGraph {
  nodes: RouteNode[];
  edges: RouteEdge[];
}

/**
 * The tokens and legs of a route as a graph. `shareBps` is a leg's part of what is sold of its own token, so the part of
 * the whole order is the product along the path. Legs are listed in an executable order: a token is bought before it is
 * sold.
 */
export function toRouteGraph({ legs }: QuoteOutput['route'], tokenIn: string): RouteGraph {
  const nodes: RouteNode[] = [{ token: tokenIn, column: 0, share: 1 }];
  const indexOf = (token: string): number => {
    const known = nodes.findIndex((node) => sameAddress(node.token, token));
    return known >= 0 ? known : nodes.push({ token, column: 0, share: 0 }) - 1;
  };
  const edges = legs.map((leg): RouteEdge => {
    const from = indexOf(leg.tokenIn);
    const to = indexOf(leg.tokenOut);
    const source = nodes[from];
    const target = nodes[to];
    const share = ((source?.share ?? 0) * leg.shareBps) / 10_000;
    if (source && target) {
      target.share += share;
      target.column = Math.max(target.column, source.column + 1);
    }
    return { leg, from, to, share };
  });
  return { nodes, edges };
}

/** All legs between the same two tokens. */
export interface RouteBand {
  from: number;
  to: number;
  share: number;
  /** `place`: in the list of legs, from 1. `share`: of the whole order. */
  legs: { place: number; share: number; venue: string }[];
}

/** One band for each pair of tokens, however many pools the order is split over between them. */
export function toBands({ edges }: RouteGraph): RouteBand[] {
  const bands: RouteBand[] = [];
  for (const [index, { leg, from, to, share }] of edges.entries()) {
    const part = { place: index + 1, share, venue: leg.venue };
    const known = bands.find((band) => band.from === from && band.to === to);
    if (!known) bands.push({ from, to, share, legs: [part] });
    else {
      known.share += share;
      known.legs.push(part);
    }
  }
  return bands;
}

/** Whether each leg sells all that the one before it bought. A split route is not one line. */
export const isSinglePath = ({ legs }: QuoteOutput['route']): boolean =>
  legs.every(
    ({ tokenIn, shareBps }, index) =>
      shareBps === 10_000 && (index === 0 || sameAddress(legs[index - 1]?.tokenOut ?? '', tokenIn)),
  );

export const sameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
