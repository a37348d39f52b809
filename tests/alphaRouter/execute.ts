import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  hexToBigInt,
  maxUint256,
  numberToHex,
  parseAbi,
} from 'viem';
import type { ExecutableLeg, OrderRunner } from '../../sandbox/index.ts';
import { withSnapshot } from '../../sandbox/index.ts';
import { derivedAddress } from '../../sandbox/placement/derivedAddress.ts';
import type { RouterAnswer } from './alphaRouter.mjs';
import type { ProofChain } from './uniswapChain.ts';

/** Output and gas of a plan in one mined transaction. */
export interface Execution {
  received: bigint;
  gasUsed: bigint;
}

/** Executes legs with amounts; undefined if they revert. */
export async function executeLegs(
  runner: OrderRunner,
  legs: readonly ExecutableLeg[],
  amountIn: bigint,
): Promise<Execution | undefined> {
  const { movements } = await runner.tryOrders([{ legs, amountIn }]);
  const [moved] = movements;
  if (!moved) return undefined;
  if (moved.spent !== amountIn) throw new Error(`A plan for ${amountIn} sold ${moved.spent}.`);
  return moved;
}

/**
 * Converts the router's routes to the legs of one split plan, in their order. The routes share no pool, so the input of a
 * leg is the output of its route's previous leg. Undefined if a pool takes only a part of its input: the quoters return
 * the output of that part.
 */
export async function toLegs(
  { chain }: ProofChain,
  runner: OrderRunner,
  { routes }: RouterAnswer,
): Promise<ExecutableLeg[] | undefined> {
  const legs: ExecutableLeg[] = [];
  for (const { pools, tokens, amountIn } of routes) {
    const path: ExecutableLeg[] = pools.map((pool, index) => {
      const found = chain.pools.find((known) => known.pool.toLowerCase() === pool.toLowerCase());
      const [tokenIn, tokenOut] = tokens.slice(index, index + 2);
      if (!found || !tokenIn || !tokenOut) throw new Error(`The router's pool ${pool} is not on the chain.`);
      return { venue: found.venue, pool: found.pool, tokenIn, tokenOut };
    });
    let amount = amountIn;
    for (const [index, leg] of path.entries()) {
      legs.push({ ...leg, amountIn: amount });
      if (index === path.length - 1) continue;
      const { movements } = await runner.tryOrders([{ legs: path.slice(0, index + 1), amountIn }]);
      if (!movements[0]) return undefined;
      amount = movements[0].received;
    }
  }
  return legs;
}

const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const permitAbi = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)']);

/** A second account, which executes the router's own calls, because the order runner counts the trader's nonces. */
export interface RouterTrader {
  address: Address;
  nonce: number;
}

/** Transfers half of the trader's tokens to a second account, and approves them for the Universal Router. */
export async function createRouterTrader(
  { chain, node, trader }: ProofChain,
  holdings: ReadonlyMap<Address, bigint>,
  router: Address,
): Promise<RouterTrader> {
  const address = derivedAddress('router trader');
  await node.call('anvil_impersonateAccount', [address]);
  await node.call('anvil_setBalance', [address, numberToHex(10n ** 22n)]);
  for (const { address: token } of chain.tokens) {
    const half = (holdings.get(token) ?? 0n) / 2n;
    const share = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [address, half] });
    await send(node, trader.address, token, share);
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [permit2, maxUint256] });
    await send(node, address, token, approve);
    const args = [token, router, 2n ** 160n - 1n, 2 ** 48 - 1] as const;
    await send(node, address, permit2, encodeFunctionData({ abi: permitAbi, functionName: 'approve', args }));
  }
  return { address, nonce: chain.tokens.length * 2 };
}

/** Executes the swap as the router encodes it, and restores the chain. */
export function executeCall(
  { chain, node }: ProofChain,
  trader: RouterTrader,
  { call }: RouterAnswer,
  tokenOut: Address,
): Promise<Execution> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [trader.address] });
  const held = async () => hexToBigInt(await node.call<Hex>('eth_call', [{ to: tokenOut, data }, 'latest']));
  return withSnapshot(chain, async () => {
    // anvil keeps reverted transactions for a moment and could drop one with the same nonce.
    await node.call('anvil_setNonce', [trader.address, numberToHex(trader.nonce)]);
    trader.nonce += 1;
    const before = await held();
    const { status, gasUsed } = await send(node, trader.address, call.to, call.data);
    if (status !== '0x1') throw new Error("The router's own call reverted.");
    return { received: (await held()) - before, gasUsed: hexToBigInt(gasUsed) };
  });
}

const send = (node: ProofChain['node'], from: Address, to: Address, data: Hex) =>
  node.call<{ status: Hex; gasUsed: Hex }>('eth_sendTransactionSync', [{ from, to, data, gas: '0x1312d00' }]);
