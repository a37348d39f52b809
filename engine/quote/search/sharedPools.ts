import { contractOf, sharesPool } from '../../pools/contractOf.ts';
import type { Flow } from './flow.ts';
import type { Edge, Network } from './network.ts';

/** Ids of the used pairs of shared pools, except for each pool's pair that sells the most by value. */
export function sharedPools(flow: Flow): Set<string> {
  const { used, sold, value } = flow;
  if (!sharesPool(used.map(({ pool }) => pool.ref))) return new Set();
  flow.setValues();
  const worthOf = ({ index, from }: Edge) => (sold[index] as number) * (value[from] as number);
  const largest = new Map<string, Edge>();
  for (const edge of used) {
    const contract = contractOf(edge.pool.ref);
    const kept = largest.get(contract);
    if (!kept || worthOf(edge) > worthOf(kept)) largest.set(contract, edge);
  }
  const isKept = ({ pool }: Edge) => largest.get(contractOf(pool.ref))?.pool.ref.id === pool.ref.id;
  return new Set(used.filter((edge) => !isKept(edge)).map(({ pool }) => pool.ref.id));
}

export function withoutPools(network: Network, ids: ReadonlySet<string>): Network {
  const { edges, between } = network;
  const isKept = ({ pool }: Edge) => !ids.has(pool.ref.id);
  return {
    ...network,
    edges: edges.filter(isKept),
    between: between.map((row) => row.map((pair) => pair.filter(isKept))),
  };
}
