import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, encodeFunctionData, erc20Abi, type Hex, hexToBigInt, numberToHex, parseAbi } from 'viem';
import { buildChain } from '../../sandbox/buildChain.ts';
import type { Placement } from '../../sandbox/chainPlan.ts';
import { planChain } from '../../sandbox/chains/planChain.ts';
import { type SandboxChain, type SandboxPool, type SandboxWallet, sandboxUsdcName } from '../../sandbox/index.ts';
import { startingNative } from '../../sandbox/market/stockWallets.ts';
import { creationCode } from '../../sandbox/placement/creationCode.ts';
import { toCreationCode } from '../../sandbox/placement/toCreationCode.ts';
import { startNodes } from '../../sandbox/process/startNodes.ts';
import { published } from '../../sandbox/published/published.ts';
import { type PublishedContract, readPublished } from '../../sandbox/published/readPublished.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { sandboxWallets } from '../../sandbox/wallets.ts';
import { expected, type RouterPool } from './alphaRouter.mjs';
import type { ProofMarket } from './markets.ts';

export interface ProofChain {
  chain: SandboxChain;
  node: NodeClient;
  trader: SandboxWallet;
  /** USD value of one whole token. */
  usdOf: ReadonlyMap<Address, number>;
  pools: RouterPool[];
  close(): Promise<void>;
}

/** Base with the pools of one market and no others, and the contracts that the router expects. */
export async function startUniswapChain(market: ProofMarket): Promise<ProofChain> {
  const base = await planChain('base');
  const plan = {
    ...base,
    tokens: [...base.tokens, ...market.tokens],
    pools: market.pools,
    fixtures: [
      ...base.fixtures.filter(({ address }) => address !== l1FeeOracle),
      ...routerContracts(base.wrappedNative),
    ],
  };
  const nodes = await startNodes([{ name: 'base', chainId: base.chainId }]);
  try {
    const node = createNodeClient(nodes.byName.get('base')?.rpcUrl ?? '');
    const wallets = sandboxWallets();
    const trader = wallets.find(({ role }) => role === 'trader');
    if (!trader) throw new TypeError('The sandbox has no trader.');
    for (const { role, address } of wallets) {
      await node.call('anvil_setBalance', [address, numberToHex(startingNative(role))]);
    }
    const chain = await buildChain(plan, node, wallets, sandboxUsdcName);
    await node.call('anvil_setLoggingEnabled', [false]);
    await node.call('evm_setAutomine', [true]);
    const usdOf = new Map(plan.tokens.map(({ address, usd }) => [address, usd]));
    const pools = await readRouterPools(chain, market, node, usdOf);
    return { chain, node, trader, usdOf, pools, close: () => nodes.close() };
  } catch (cause) {
    await nodes.close();
    throw cause;
  }
}

const v2Factory: Address = '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6';
const v3Factory: Address = '0x33128a8fC17869897dcE68Ed026d694621f6FDfD';
const poolManager: Address = '0x498581fF718922c3f8e6A244956aF099B2652b2b';
const l1FeeOracle: Address = '0x420000000000000000000000000000000000000F';
const stateView: Address = '0xA3c0c9b65baD0b08107Aa264b0f3dB444b867A71';

/** Uniswap's multicall and quoters, from packages, where the router expects them. */
function routerContracts(wrappedNative: Address): Placement[] {
  const multicall = readPublished(
    '@uniswap/v3-periphery/artifacts/contracts/lens/UniswapInterfaceMulticall.sol/UniswapInterfaceMulticall.json',
  );
  const mixed = readOwn(
    '@uniswap/swap-router-contracts/artifacts/contracts/lens/MixedRouteQuoterV1.sol/MixedRouteQuoterV1.json',
  );
  return [
    { address: expected.multicall, creation: creationCode(multicall) },
    { address: expected.quoterV2, creation: creationCode(published.uniswapV3Quoter(), [v3Factory, wrappedNative]) },
    { address: expected.mixedRouteQuoter, creation: creationCode(mixed, [v3Factory, v2Factory, wrappedNative]) },
    // The router reads the fee of the calldata. It is zero here for both sides: each call returns one zero word.
    { address: l1FeeOracle, creation: toCreationCode('0x5f5f5260205ff3') },
    { address: expected.v4Quoter, creation: creationCode(published.uniswapV4Quoter(), [poolManager]) },
  ];
}

/** An artifact of a package that only this folder installs. */
function readOwn(path: string): PublishedContract {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'node_modules', path), 'utf8')) as PublishedContract;
}

const abi = parseAbi([
  'function liquidity() view returns (uint128)',
  'function getLiquidity(bytes32) view returns (uint128)',
]);

/** The pools with their liquidity and balances at the latest block. */
async function readRouterPools(
  chain: SandboxChain,
  market: ProofMarket,
  node: NodeClient,
  usdOf: ReadonlyMap<Address, number>,
): Promise<RouterPool[]> {
  const read = async (to: Address, data: Hex) =>
    hexToBigInt(await node.call<Hex>('eth_call', [{ to, data }, 'latest']));
  const usdIn = async (holder: Hex, token: Address) => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] });
    const decimals = chain.tokens.find(({ address }) => address === token)?.decimals ?? 18;
    return (Number(await read(token, data)) / 10 ** decimals) * (usdOf.get(token) ?? 0);
  };
  const liquidityOf = ({ venue, pool }: SandboxPool) => {
    if (venue === 'uniswap-v2') return 0n;
    const isV4 = venue === 'uniswap-v4';
    const data = isV4
      ? encodeFunctionData({ abi, functionName: 'getLiquidity', args: [pool] })
      : encodeFunctionData({ abi, functionName: 'liquidity' });
    return read(isV4 ? stateView : pool, data);
  };
  return Promise.all(
    chain.pools.map(async (found, index) => {
      const { venue, pool, token0, token1, key } = found;
      const planned = market.pools[index];
      // All v4 pools share one contract, which keeps no balance for each: use the planned amounts.
      const usd = key ? 2 * (planned?.usd ?? 0) : (await usdIn(pool, token0)) + (await usdIn(pool, token1));
      return {
        venue: venue as RouterPool['venue'],
        pool,
        token0,
        token1,
        fee: planned?.tier ?? 3000,
        tickSpacing: key?.tickSpacing ?? 0,
        hooks: key?.hooks ?? '0x0000000000000000000000000000000000000000',
        liquidity: await liquidityOf(found),
        usd,
      };
    }),
  );
}
