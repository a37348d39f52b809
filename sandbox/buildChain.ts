import { encodeFunctionData, getAddress, type Hex, numberToHex, parseAbi, parseEther, parseUnits } from 'viem';
import { routeExecutorArtifact } from '../contracts/artifacts/sandbox/RouteExecutor.ts';
import type { Action, ChainPlan, PoolSeed } from './chainPlan.ts';
import { makerAddress, placeMaker, toMakerTransactions } from './market/maker.ts';
import { seedPool } from './market/seedPools.ts';
import { stockWallets } from './market/stockWallets.ts';
import { creationCode } from './placement/creationCode.ts';
import { deployContracts } from './placement/deployContracts.ts';
import { derivedAddress } from './placement/derivedAddress.ts';
import { createOperator } from './placement/operator.ts';
import { placeContracts } from './placement/placeContracts.ts';
import type { NodeClient } from './rpc/nodeClient.ts';
import type { SandboxPool } from './sandboxPool.ts';
import type { SandboxChain, SandboxWallet } from './sandboxTypes.ts';
import { makerStock } from './tokens/honestToken.ts';
import { issueUsdc } from './tokens/usdc.ts';

const executorAddress = derivedAddress('route executor');
const wethAbi = parseAbi(['function deposit() payable']);

/** Builds a planned chain on an empty node: contracts, market, wallets. Automatic mining must be off. */
export async function buildChain(
  plan: ChainPlan,
  node: NodeClient,
  wallets: readonly SandboxWallet[],
  usdcName: string,
): Promise<SandboxChain> {
  const operator = await createOperator(node);
  await node.call('anvil_setBalance', [makerAddress, numberToHex(parseEther('1000000000'))]);
  await placeContracts(node, operator, [
    placeMaker(),
    { address: executorAddress, creation: creationCode(routeExecutorArtifact, [plan.wrappedNative]) },
    ...plan.fixtures,
    ...plan.tokens.flatMap(({ placement }) => placement ?? []),
  ]);
  // Venue constructors call the fixtures, so those come first.
  await placeContracts(
    node,
    operator,
    plan.venues.flatMap(({ placements }) => placements),
  );
  await deployContracts(node, operator);
  const markets = plan.pools.map((pool) => ({
    venue: findVenue(plan, pool.venue),
    seed: seedPool(pool, plan.tokens, plan.wrappedNative),
  }));
  await operator.send([
    ...plan.venues.flatMap(({ setup = [] }) => setup),
    ...toMakerTransactions(stockMaker(plan, usdcName)),
    ...toMakerTransactions(markets.flatMap(({ venue, seed }) => venue.open(seed))),
  ]);
  const pools = await locatePools(plan, node, markets);
  await operator.send([
    ...toMakerTransactions(markets.flatMap(({ venue, seed }, index) => venue.fill(seed, pools[index]?.pool ?? '0x'))),
    ...toMakerTransactions(stockWallets(plan, wallets)),
  ]);
  return {
    name: plan.name,
    chainId: plan.chainId,
    rpcUrl: node.rpcUrl,
    usdc: plan.usdc,
    wrappedNative: plan.wrappedNative,
    executor: executorAddress,
    tokens: plan.tokens.map(({ symbol, address, decimals, about }) => ({
      chain: plan.name,
      symbol,
      address,
      decimals,
      about,
    })),
    pools,
  };
}

/** Mints USDC and wraps native currency for the market maker. */
function stockMaker({ usdc, wrappedNative }: ChainPlan, usdcName: string): Action[] {
  return [
    ...issueUsdc(usdc, makerAddress, parseUnits(makerStock, 6), usdcName),
    {
      to: wrappedNative,
      value: parseEther('500000000'),
      data: encodeFunctionData({ abi: wethAbi, functionName: 'deposit' }),
    },
  ];
}

interface Market {
  venue: ChainPlan['venues'][number];
  seed: PoolSeed;
}

/** Looks up the address or id of each created pool. */
export async function locatePools(
  plan: Pick<ChainPlan, 'name'>,
  node: NodeClient,
  markets: readonly Market[],
): Promise<SandboxPool[]> {
  const lookups = markets.map(({ venue, seed }) => venue.locate(seed));
  const addresses = await node.batch<Hex>(
    lookups.flatMap((lookup) => ('id' in lookup ? [] : { method: 'eth_call', params: [lookup, 'latest'] })),
  );
  let next = 0;
  return markets.map(({ seed }, index) => {
    const lookup = lookups[index];
    const base = { chain: plan.name, venue: seed.venue, token0: seed.token0, token1: seed.token1 };
    if (lookup && 'id' in lookup) return { ...base, pool: lookup.id, key: lookup.key };
    return { ...base, pool: getAddress(`0x${(addresses[next++] ?? '0x').slice(-40)}`) };
  });
}

/** @throws {TypeError} the chain lacks the venue */
export function findVenue(plan: ChainPlan, name: string): ChainPlan['venues'][number] {
  const venue = plan.venues.find((candidate) => candidate.venue === name);
  if (!venue) throw new TypeError(`${plan.name} has no venue ${name}, which a planned pool needs.`);
  return venue;
}
