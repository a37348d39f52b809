import type { Address } from 'viem';
import { expect, test } from 'vitest';
import { findSlipstream } from '../../client/trade/clones.ts';
import { routers } from '../../client/trade/routers.ts';

const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const nvdac = '0xb20000000000000000000078ee7ce2fE4908108C';

const venue = routers.base.venues['aerodrome-slipstream'];
const generations = venue?.kind === 'slipstream' ? venue.generations : [];

// Pools on Base, as `getPool` of each factory returned them (notes on chain reads in public repositories).
test.each<[factory: string, pool: Address, token: Address, tickSpacing: number, router: Address]>([
  ['first', '0xb2cc224c1c9feE385f8ad6a55b4d94E92359DC59', weth, 100, '0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5'],
  ['first', '0xAaD23a67F2AC693ABBe543489aeB3F24F561D517', weth, 50, '0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5'],
  ['second', '0xc758d81B9b81A6FCDAd075bD471874A2c46B54e0', weth, 50, '0xcbBb8035cAc7D4B3Ca7aBb74cF7BdF900215Ce0D'],
  ['third', '0x3FE04A59Ebd38cF06080a6F60a98D124eb59392A', weth, 50, '0x698Cb2b6dd822994581fEa6eA4Fc755d1363A92F'],
  ['third', '0x853F5f1B92b16714Fe6CDA67CAad0856B83C7ab9', nvdac, 10, '0x698Cb2b6dd822994581fEa6eA4Fc755d1363A92F'],
])(
  'finds the router of the %s Slipstream factory from the address of its pool %s',
  (_, pool, token, tickSpacing, router) => {
    expect(findSlipstream(generations, pool, [token, usdc])).toEqual({ router, tickSpacing });
  },
);

test('finds no router for a pool of an unknown factory', () => {
  const uniswapPool = '0xd0b53D9277642d899DF5C87A3966A349A798F224';
  expect(findSlipstream(generations, uniswapPool, [weth, usdc])).toBeUndefined();
});
