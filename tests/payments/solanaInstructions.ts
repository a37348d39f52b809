import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { findAssociatedTokenPda, getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { price } from './paymentFixture.ts';
import type { SolanaFixture, SolanaPayer } from './solanaFixture.ts';

// Instructions and payments that tests build by hand.

const computeBudget = address('ComputeBudget111111111111111111111111111111');
const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const lighthouse = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
export const systemProgram = address('11111111111111111111111111111111');

/** SetComputeUnitLimit. */
export const computeLimit = (units: number): Instruction => {
  const data = new DataView(new ArrayBuffer(5));
  data.setUint8(0, 2);
  data.setUint32(1, units, true);
  return { programAddress: computeBudget, data: new Uint8Array(data.buffer) };
};
/** SetComputeUnitPrice, in micro-lamports for each compute unit. */
export const computePrice = (microLamports: bigint): Instruction => {
  const data = new DataView(new ArrayBuffer(9));
  data.setUint8(0, 3);
  data.setBigUint64(1, microLamports, true);
  return { programAddress: computeBudget, data: new Uint8Array(data.buffer) };
};
export const memo = (accounts: Instruction['accounts'] = []): Instruction => ({
  programAddress: memoProgram,
  accounts,
  data: new TextEncoder().encode('memo'),
});

/** Discriminators of Lighthouse's assertion instructions, from lighthouse-sdk 2.1. */
const guards = {
  memoryWrite: 0,
  accountData: 2,
  accountDelta: 4,
  accountInfo: 5,
  accountInfoMulti: 6,
  mintAccount: 7,
  tokenAccount: 9,
  tokenAccountMulti: 10,
  sysvarClock: 15,
};
/** A Lighthouse assertion on the target accounts; wallets append such guards to transactions. */
export const guard = (kind: keyof typeof guards, ...targets: string[]): Instruction => ({
  programAddress: lighthouse,
  accounts: targets.map((target) => ({ address: address(target), role: AccountRole.READONLY })),
  data: new Uint8Array([guards[kind], 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4]),
});

export async function tokenAccountOf(owner: string, mint: string): Promise<Address> {
  const [tokenAccount] = await findAssociatedTokenPda({
    owner: address(owner),
    mint: address(mint),
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  return tokenAccount;
}

/** The transfer of a payment, with optional changes. */
export async function transferOf(
  { solana, walletOf }: SolanaFixture,
  payer: SolanaPayer,
  change: { source?: string; to?: string; amount?: bigint } = {},
): Promise<Instruction> {
  return getTransferCheckedInstruction({
    source: await tokenAccountOf(change.source ?? payer.address, solana.usdc),
    mint: address(solana.usdc),
    destination: await tokenAccountOf(change.to ?? walletOf('payTo').address, solana.usdc),
    authority: payer.signer,
    amount: change.amount ?? price,
    decimals: 6,
  });
}

/** Signs these instructions as a payment. @param challenge the header PAYMENT-REQUIRED */
export async function signPayment(
  { rpc }: SolanaFixture,
  challenge: string,
  instructions: readonly Instruction[],
  feePayer?: string,
): Promise<PaymentPayload> {
  const { accepts, resource } = decodePaymentRequiredHeader(challenge);
  const [accepted] = accepts;
  if (!accepted || !resource) throw new Error('no offer');
  const { value } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (built) => setTransactionMessageFeePayer(address(feePayer ?? String(accepted.extra.feePayer)), built),
    (built) => appendTransactionMessageInstructions(instructions, built),
    (built) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: value.blockhash as Blockhash, lastValidBlockHeight: value.lastValidBlockHeight },
        built,
      ),
  );
  const signed = await partiallySignTransactionMessageWithSigners(message);
  return { x402Version: 2, resource, accepted, payload: { transaction: getBase64EncodedWireTransaction(signed) } };
}
