import { type Address, encodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, numberToHex, parseAbi } from 'viem';
import { type RpcEndpoint, type RpcReply, toLowerAddress } from '../../engine/index.ts';
import type { PoolHintSource } from '../../engine/pools/poolHints.ts';
import { deployments } from '../../engine/venues/deployments/deployments.ts';
import type { V4PoolKey } from '../../engine/venues/uniswapV4/poolKey.ts';
import { createNodeClient, makerAddress, type OpenChain, type SandboxChain } from '../../sandbox/index.ts';
import { creationCode } from '../../sandbox/placement/creationCode.ts';
import { published } from '../../sandbox/published/published.ts';

const v4 = deployments.base.venues.find((row) => row.family === 'uniswap-v4');
/** Uniswap's position manager, from its published artifact. */
const positionManager = (v4?.positionManager ?? '0x') as Address;

const abi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function modifyLiquidities(bytes unlockData, uint256 deadline) payable',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function mint(PoolKey key, int24 lower, int24 upper, uint256 liquidity, uint128 max0, uint128 max1, address owner, bytes hookData)',
]);
/** Actions of v4-periphery: mint a position, then pay for it from the manager's own balance. */
const [mintPosition, settle] = ['02', '0b'];

export async function placePositionManager(builder: OpenChain): Promise<void> {
  const unused = makerAddress;
  const args = [v4?.manager, unused, 300_000n, unused, unused];
  await builder.place([
    { address: positionManager, creation: creationCode(published.uniswapV4PositionManager(), args) },
  ]);
}

/** Mints a small position over all prices, as a wallet would: the manager then returns the pool's key. */
export async function mintPositionIn(builder: OpenChain, key: V4PoolKey): Promise<void> {
  const edge = Math.floor(887_272 / key.tickSpacing) * key.tickSpacing;
  const most = 10n ** 12n;
  const mint = encodeFunctionData({
    abi,
    functionName: 'mint',
    args: [key, -edge, edge, 10n ** 6n, most, most, makerAddress, '0x'],
  });
  const toSettle = (currency: Address) =>
    encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }, { type: 'bool' }], [currency, 0n, false]);
  const unlockData = encodeAbiParameters(
    [{ type: 'bytes' }, { type: 'bytes[]' }],
    [`0x${mintPosition}${settle}${settle}`, [`0x${mint.slice(10)}`, toSettle(key.currency0), toSettle(key.currency1)]],
  );
  const pay = encodeFunctionData({ abi, functionName: 'transfer', args: [positionManager, most] });
  await builder.perform([
    { to: key.currency0, data: pay },
    { to: key.currency1, data: pay },
    {
      to: positionManager,
      data: encodeFunctionData({ abi, functionName: 'modifyLiquidities', args: [unlockData, 2n ** 60n] }),
    },
  ]);
}

/** Copies code, storage and balances of a pair: it trades like the original, but its factory does not return it. */
export async function clonePair(
  { rpcUrl }: SandboxChain,
  builder: OpenChain,
  { pair, tokens, to }: { pair: Address; tokens: readonly Address[]; to: Address },
): Promise<void> {
  const node = createNodeClient(rpcUrl);
  for (const token of tokens) {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [pair] });
    const amount = BigInt(await node.call<Hex>('eth_call', [{ to: token, data }, 'latest']));
    await builder.perform([
      { to: token, data: encodeFunctionData({ abi, functionName: 'transfer', args: [to, amount] }) },
    ]);
  }
  await node.call('anvil_setCode', [to, await node.call<Hex>('eth_getCode', [pair, 'latest'])]);
  for (let slot = 0; slot < 16; slot += 1) {
    const at = numberToHex(slot, { size: 32 });
    await node.call('anvil_setStorageAt', [to, at, await node.call<Hex>('eth_getStorageAt', [pair, at, 'latest'])]);
  }
}

const refusal: RpcReply = { error: { code: -32_005, message: 'logs are limited to a 10 block range' } };

/** An endpoint of a node that refuses logs while `rules.isLimited`. */
export function limitedEndpoint(inner: RpcEndpoint, rules: { isLimited: boolean }): RpcEndpoint {
  return {
    ...inner,
    async send(calls, options) {
      const replies = await inner.send(calls, options);
      return replies.map((reply, at) => (rules.isLimited && calls[at]?.method === 'eth_getLogs' ? refusal : reply));
    },
  };
}

/** A third party that lists these pools for each token, and counts its requests. */
export function sourceOf(pools: readonly string[], label = 'vendor'): PoolHintSource & { asked: Address[] } {
  const asked: Address[] = [];
  return {
    label,
    asked,
    async fetchPools(token) {
      asked.push(toLowerAddress(token));
      return pools.map((pool) => pool.toLowerCase() as Hex);
    },
  };
}
