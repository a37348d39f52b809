import type { Address } from 'viem';
import type { ChainName } from '../chains/index.ts';
import { NoSingleTransactionError } from './errors.ts';

/** The router of a venue; `kind` is its interface. */
export type VenueRouter =
  | { kind: 'universal' }
  | { kind: 'v2' | 'v3' | 'algebra' | 'algebra-integral' | 'balancer'; router: Address }
  | { kind: 'aerodrome'; router: Address; factory: Address; implementation: Address }
  | { kind: 'slipstream'; generations: readonly SlipstreamGeneration[] };

/**
 * One of the three deployments of Slipstream. Its factory creates pools as ERC-1167 clones of the implementation. A router
 * computes a pool's address from its own factory, so it cannot reach pools of another one.
 */
export interface SlipstreamGeneration {
  router: Address;
  factory: Address;
  implementation: Address;
}

export interface ChainRouters {
  wrappedNative: Address;
  universalRouter: Address;
  /** Uniswap v4's PoolManager, as in engine/venues/deployments. */
  poolManager: Address;
  /** Routers by the `venue` of a leg. A venue without an entry has no known router. */
  venues: Readonly<Record<string, VenueRouter>>;
}

/** Permit2 has the same address on every chain. Sources: docs.uniswap.org, docs.base.org. */
export const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';

/** Tick spacings that the Slipstream factories enable (engine/venues/deployments/base.ts). */
export const slipstreamSpacings = [1, 10, 50, 100, 200, 500, 2000] as const;

const universal = { kind: 'universal' } as const;
// developer.pancakeswap.finance (v3 addresses), VeloraDEX/paraswap-dex-lib; the same on Base and Arbitrum.
const pancakeV3 = { kind: 'v3', router: '0x1b81D678ffb9C0263b24A97847620C99d213eB14' } as const;
// developer.pancakeswap.finance (v2 addresses), docs.pancakeswap.finance (router v2); the same on Base and Arbitrum.
const pancakeV2 = { kind: 'v2', router: '0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb' } as const;

// The vault itself, the same on every chain: npm @balancer-labs/v2-deployments, VeloraDEX/paraswap-dex-lib.
const balancer = { kind: 'balancer', router: '0xBA12222222228d8Ba445958a75a0704d566BF2C8' } as const;

/**
 * Routers as their teams published them. The comment beside each address names two sources.
 * Not included: alienbase-v2, alienbase-v3, hydrex and camelot-v2, because the sandbox has no package to execute them;
 * quickswap-v4 on Polygon, because its router has only one source.
 */
export const routers: Record<ChainName, ChainRouters> = {
  base: {
    wrappedNative: '0x4200000000000000000000000000000000000006',
    poolManager: '0x498581fF718922c3f8e6A244956aF099B2652b2b',
    universalRouter: '0x6fF5693b99212Da76ad316178A184AB56D299b43', // Uniswap/universal-router (UniversalRouterV2), Elnaril's deployment list
    venues: {
      'uniswap-v2': universal,
      'uniswap-v3': universal,
      'uniswap-v4': universal,
      'sushiswap-v2': { kind: 'v2', router: '0x6BDED42c6DA8FBf0d2bA55B2fa120C5e0c8D7891' }, // sushiswap/v2-core deployments, sushi-labs/sushi
      'sushiswap-v3': { kind: 'v3', router: '0xFB7eF66a7e61224DD6FcD0D7d9C3be5C8B049b9f' }, // sushiswap/v3-periphery deployments, OmniBTC/OmniSwap
      'pancakeswap-v2': pancakeV2,
      'pancakeswap-v3': pancakeV3,
      'quickswap-v4': { kind: 'algebra-integral', router: '0xe6c9bb24ddB4aE5c6632dbE0DE14e3E474c6Cb04' }, // VeloraDEX/paraswap-dex-lib, rotki
      aerodrome: {
        kind: 'aerodrome',
        router: '0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43', // aerodrome-finance/contracts, WayfinderFoundation/wayfinder-paths-sdk
        factory: '0x420DD381b31aEf6683db6B902084cB0FFECe40Da',
        implementation: '0xA4e46b4f701c62e14DF11B48dCe76A7d793CD6d7',
      },
      // Sources of the routers. First: aerodrome-finance/slipstream, WayfinderFoundation/wayfinder-paths-sdk. Second:
      // aerodrome-finance/slipstream, VeloraDEX/paraswap-dex-lib. Third: the table "Gauges V3 Deployment" of
      // aerodrome-finance/slipstream (README at f8717faa), WayfinderFoundation/wayfinder-paths-sdk. Two projects' fork tests
      // report that its `factory()` returns the factory below.
      'aerodrome-slipstream': {
        kind: 'slipstream',
        generations: [
          {
            router: '0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5',
            factory: '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A',
            implementation: '0xeC8E5342B19977B4eF8892e02D8DAEcfa1315831',
          },
          {
            router: '0xcbBb8035cAc7D4B3Ca7aBb74cF7BdF900215Ce0D',
            factory: '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a',
            implementation: '0x942e97a4c6FdC38B4CD1c0298D37d81fDD8E5A16',
          },
          {
            router: '0x698Cb2b6dd822994581fEa6eA4Fc755d1363A92F',
            factory: '0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef',
            implementation: '0xc770898522D2A9c8Da7A10D63989b6b58305B665',
          },
        ],
      },
    },
  },
  polygon: {
    wrappedNative: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
    poolManager: '0x67366782805870060151383F4BbFF9daB53e5cD6',
    universalRouter: '0x1095692A6237d83C6a72F3F5eFEdb9A670C49223', // Uniswap/universal-router (UniversalRouterV2), VeloraDEX/paraswap-dex-lib
    venues: {
      'uniswap-v2': universal,
      'uniswap-v3': universal,
      'uniswap-v4': universal,
      'balancer-v2': balancer,
      'quickswap-v2': { kind: 'v2', router: '0xa5E0829CaCEd8fFDD4De3c43696c57F7D7A678ff' }, // QuickSwap/quickswap-core, OmniBTC/OmniSwap
      'quickswap-v3': { kind: 'algebra', router: '0xf5b509bB0909a69B1c207E495f687a596C168E12' }, // VeloraDEX/paraswap-dex-lib, okx/plugin-store
      'sushiswap-v2': { kind: 'v2', router: '0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506' }, // sushiswap/sushi-docs, sushi-labs/sushi
      'sushiswap-v3': { kind: 'v3', router: '0x0aF89E1620b96170e2a9D0b68fEebb767eD044c3' }, // sushiswap/v3-periphery deployments, sushiswap/sushi-docs
    },
  },
  arbitrum: {
    wrappedNative: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
    poolManager: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32',
    universalRouter: '0xA51afAFe0263b40EdaEf0Df8781eA9aa03E381a3', // Uniswap/universal-router (UniversalRouterV2), Elnaril's deployment list
    venues: {
      'uniswap-v2': universal,
      'uniswap-v3': universal,
      'uniswap-v4': universal,
      'balancer-v2': balancer,
      'camelot-v3': { kind: 'algebra', router: '0x1F721E2E82F6676FCE4eA07A5958cF098D339e18' }, // docs.camelot.exchange, VeloraDEX/paraswap-dex-lib
      'sushiswap-v2': { kind: 'v2', router: '0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506' }, // sushi-labs/sushi, OmniBTC/OmniSwap
      'sushiswap-v3': { kind: 'v3', router: '0x8A21F6768C1f8075791D08546Dadf6daA0bE820c' }, // sushiswap/v3-periphery deployments, sushiswap/sushi-docs
      'pancakeswap-v2': pancakeV2,
      'pancakeswap-v3': pancakeV3,
    },
  },
};

const byName: Readonly<Record<string, ChainRouters>> = routers;

/** @throws {NoSingleTransactionError} this version of the client has no routers for the chain */
export function routersOf(chain: ChainName): ChainRouters {
  const found = byName[chain];
  if (!found) throw new NoSingleTransactionError(`This version of the client has no router for ${chain}. Update it.`);
  return found;
}
