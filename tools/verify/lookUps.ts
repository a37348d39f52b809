import type { Address } from 'viem';
import type { VenueRow } from '../../engine/index.ts';
import type { Answer, ChainReader } from './chainReader.ts';

/** A factory call that returns the pool of a pair for one fee, tick spacing or curve of the row. */
export interface LookUp {
  /** Fee in pips, tick spacing, or 1 for the stable curve; 0 where a pair has one pool. */
  variant: number;
  label: string;
  find(reader: ChainReader, a: Address, b: Address): Promise<Answer<Address>>;
}

type FactoryRow = Exclude<VenueRow, { family: 'uniswap-v4' | 'balancer-v2' }>;

/** All look-ups of a row. */
export function toLookUps(row: FactoryRow): LookUp[] {
  const one = (signature: string, variant: number, label: string, ...more: unknown[]): LookUp => ({
    variant,
    label,
    find: (reader, a, b) => reader.call<Address>(row.factory, `${signature} view returns (address)`, [a, b, ...more]),
  });
  switch (row.family) {
    case 'uniswap-v2':
      return [one('getPair(address,address)', 0, 'pair')];
    case 'algebra':
      return [one('poolByPair(address,address)', 0, 'pool')];
    case 'uniswap-v3':
      return 'fees' in row
        ? row.fees.map((fee) => one('getPool(address,address,uint24)', fee, `fee ${fee}`, fee))
        : row.tickSpacings.map((spacing) =>
            one('getPool(address,address,int24)', spacing, `spacing ${spacing}`, spacing),
          );
    case 'solidly': {
      if (row.lookUp === 'getPair(a,b)') return [one('getPair(address,address)', 0, 'pair')];
      const name = row.lookUp === 'getPool(a,b,stable)' ? 'getPool' : 'getPair';
      return [false, true].map((stable) =>
        one(`${name}(address,address,bool)`, stable ? 1 : 0, stable ? 'stable' : 'volatile', stable),
      );
    }
  }
}
