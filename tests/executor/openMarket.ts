import { type Address, erc20Abi, type Hex, numberToHex } from 'viem';
import type { Quote, SwapTransaction } from '../../client/index.ts';
import { executorDeployment } from '../../contracts/artifacts/executor/deployment.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import { toWire } from '../../router/index.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { readContract } from '../../sandbox/testing/readContract.ts';

/** The answer as a client receives it, after JSON. */
export const asClientQuote = (answer: QuoteAnswer): Quote => JSON.parse(JSON.stringify(toWire(answer))) as Quote;

export const executorAddress: Address = executorDeployment.executor.address;

export const balanceOf = (chain: SandboxChain, token: Address, owner: Address): Promise<bigint> =>
  readContract(chain, { to: token, abi: erc20Abi, name: 'balanceOf', args: [owner] }) as Promise<bigint>;

interface Call {
  to: Address;
  data: Hex;
  value?: bigint;
}

/** Sends transactions of one account. Each test reverts the chain, so nonces only grow. */
export async function senderOn(chain: SandboxChain, from: Address) {
  const node = createNodeClient(chain.rpcUrl);
  await node.call('anvil_impersonateAccount', [from]);
  await node.call('anvil_setBalance', [from, numberToHex(10n ** 24n)]);
  let nonce = 5_000;
  /** @returns whether the transaction succeeded, and its gas */
  const send = async ({ to, data, value = 0n }: Call) => {
    await node.call('anvil_setNonce', [from, numberToHex(nonce++)]);
    const call = { from, to, data, value: numberToHex(value), gas: numberToHex(15_000_000) };
    const { status, gasUsed } = await node.call<{ status: Hex; gasUsed: Hex }>('eth_sendTransactionSync', [call]);
    return { ok: status === '0x1', gas: BigInt(gasUsed) };
  };
  return {
    node,
    send,
    /** Sends the approvals and the transaction. @returns the changes of the sender's balances */
    async execute({ tokenIn, tokenOut }: { tokenIn: string; tokenOut: string }, transaction: SwapTransaction) {
      for (const approval of transaction.approvals) await send(approval);
      const read = () =>
        Promise.all([tokenIn, tokenOut].map((token) => balanceOf(chain, token as Address, from))) as Promise<
          [bigint, bigint]
        >;
      const before = await read();
      const { ok, gas } = await send(transaction);
      const after = await read();
      return { ok, gas, spent: before[0] - after[0], received: after[1] - before[1] };
    },
    async restored<T>(run: () => Promise<T>): Promise<T> {
      const snapshot = await node.call<string>('evm_snapshot');
      try {
        return await run();
      } finally {
        await node.call('evm_revert', [snapshot]);
        await node.call('anvil_dropAllTransactions');
      }
    },
  };
}

/** The executor's balances of all tokens of the chain and of the native coin that are not 0. */
export async function heldByExecutor(chain: SandboxChain): Promise<string[]> {
  const held = await Promise.all(
    chain.tokens.map(async ({ symbol, address }) => {
      const balance = await balanceOf(chain, address, executorAddress).catch(() => 0n);
      return balance === 0n ? [] : [`${balance} ${symbol}`];
    }),
  );
  const native = await createNodeClient(chain.rpcUrl).call<Hex>('eth_getBalance', [executorAddress, 'latest']);
  return [...held.flat(), ...(BigInt(native) === 0n ? [] : [`${native} native`])];
}
