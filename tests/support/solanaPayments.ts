import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { findAssociatedTokenPda, getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { RpcEndpoint, RpcReply } from '../../engine/index.ts';
import type { SvmTransaction } from '../../server/payments/networks/svm/svmTransaction.ts';
import { svmForm } from '../../server/payments/networks/svm/svmTransaction.ts';
import { computeLimit, computePrice } from '../payments/solanaInstructions.ts';

// Payments on Solana without a chain: real transactions, and nodes that return scripted results.

export const solanaGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
export const blockhash = 'EETubP5AKHgjPAhzPAFcb8BAY1hMH639CWCFTqi3hq1k';

/** A payer, a fee payer, a payee and a mint, with their token accounts. */
export async function openSolanaParties() {
  const [payer, feePayer, payTo, mint] = await Promise.all(Array.from({ length: 4 }, () => generateKeyPairSigner()));
  if (!payer || !feePayer || !payTo || !mint) throw new Error('no keys');
  const accountOf = async (owner: Address, of: Address = mint.address) => {
    const [account] = await findAssociatedTokenPda({ owner, mint: of, tokenProgram: TOKEN_PROGRAM_ADDRESS });
    return account;
  };
  const [source, destination] = [await accountOf(payer.address), await accountOf(payTo.address)];
  return {
    payer,
    feePayer: feePayer.address,
    payTo: payTo.address,
    mint: mint.address,
    source,
    destination,
    accountOf,
    terms: {
      scheme: 'exact',
      network: `solana:${solanaGenesis.slice(0, 32)}` as const,
      amount: '20000',
      asset: mint.address as string,
      payTo: payTo.address as string,
      maxTimeoutSeconds: 180,
      extra: { feePayer: feePayer.address },
    },
    transfer: (
      change: {
        source?: Address;
        mint?: Address;
        destination?: Address;
        authority?: KeyPairSigner;
        amount?: bigint;
      } = {},
    ): Instruction =>
      getTransferCheckedInstruction({
        source,
        mint: mint.address,
        destination,
        authority: payer,
        amount: 20_000n,
        decimals: 6,
        ...change,
      }),
  };
}

export type SolanaParties = Awaited<ReturnType<typeof openSolanaParties>>;

/** The payment with these instructions, as the published clients sign it: without the fee payer's signature. */
export async function solanaPayment(
  parties: SolanaParties,
  instructions: readonly Instruction[] = [computeLimit(20_000), computePrice(1n), parties.transfer()],
  feePayer: Address = parties.feePayer,
): Promise<SvmTransaction> {
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (built) => setTransactionMessageFeePayer(feePayer, built),
    (built) => appendTransactionMessageInstructions(instructions, built),
    (built) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash as Blockhash, lastValidBlockHeight: 1_150n },
        built,
      ),
  );
  const signed = await partiallySignTransactionMessageWithSigners(message);
  return svmForm.read({ transaction: getBase64EncodedWireTransaction(signed) });
}

/** Returns a result, or an error as `{ error }`; undefined: the node does not respond. */
export type SolanaMethods = Record<string, (params: readonly unknown[]) => unknown>;

/** A transport to a node with these methods. Records the calls except the reads of the genesis hash. */
export function solanaNode(methods: SolanaMethods) {
  const calls: { method: string; params: readonly unknown[] }[] = [];
  const endpoint: RpcEndpoint = {
    label: 'test',
    send: async (requests) =>
      requests.map(({ method, params }): RpcReply => {
        if (method === 'getGenesisHash' && !methods.getGenesisHash) return { result: solanaGenesis };
        calls.push({ method, params });
        const result = methods[method]?.(params);
        if (result === undefined) return { error: { code: -32005, message: 'Node is unhealthy' } };
        if (result instanceof Error) return { error: { code: -32016, message: result.message } };
        return { result };
      }),
  };
  return { endpoint, calls };
}

/** A result with the slot at which the node read it. */
export const atSlot = (slot: number, value: unknown) => ({ context: { slot }, value });

/** The part of a network's configuration that uses these nodes. */
export const rpcOf = (...nodes: { endpoint: RpcEndpoint }[]) => ({
  rpcUrls: nodes.map((_, index) => `http://127.0.0.1:${index + 1}`),
  watchRpc: (endpoint: RpcEndpoint, position: number): RpcEndpoint => nodes[position - 1]?.endpoint ?? endpoint,
});
