import { TruefillError } from '../errors.ts';

// kit brands its transactions by type, so no narrower type accepts its signers.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Sign = (...transactions: any[]) => Promise<any>;

/** A transaction signer of @solana/kit: one that only signs, or a wallet that may add instructions before it signs. */
export type SolanaSigner = { address: string } & ({ signTransactions: Sign } | { modifyAndSignTransactions: Sign });

/** Whether a wallet is a signer of @solana/kit. */
export const isSolanaSigner = (wallet: object): wallet is SolanaSigner =>
  'signTransactions' in wallet || 'modifyAndSignTransactions' in wallet;

const systemProgram = '11111111111111111111111111111111';

/**
 * A signer that signs only transactions that expire with their blockhash. A durable nonce, which starts with an instruction
 * of the System Program (`AdvanceNonceAccount`), would keep a payment valid for years.
 */
export function expiringOnly(signer: SolanaSigner): SolanaSigner {
  const { address } = signer;
  if ('signTransactions' in signer) {
    return {
      address,
      async signTransactions(transactions: Messages, ...rest: unknown[]) {
        await assertExpiring(transactions, 'Nothing was signed.');
        return signer.signTransactions(transactions, ...rest);
      },
    };
  }
  return {
    address,
    async modifyAndSignTransactions(transactions: Messages, ...rest: unknown[]) {
      await assertExpiring(transactions, 'Nothing was signed.');
      const signed: Messages = await signer.modifyAndSignTransactions(transactions, ...rest);
      await assertExpiring(signed, 'The wallet changed it. It was not sent, and nothing was charged.');
      return signed;
    },
  };
}

type Messages = readonly { messageBytes: Uint8Array }[];

/** @throws {TruefillError} a transaction may be valid for longer than its blockhash */
async function assertExpiring(transactions: Messages, consequence: string): Promise<void> {
  const { getCompiledTransactionMessageDecoder } = await import('@solana/kit');
  const decoder = getCompiledTransactionMessageDecoder();
  for (const { messageBytes } of transactions) {
    const { instructions, staticAccounts } = decoder.decode(messageBytes);
    const [first] = instructions;
    if (!first || staticAccounts[first.programAddressIndex] === systemProgram)
      throw new TruefillError(
        `The Solana payment would not expire: it starts with a durable nonce or has no instruction. ${consequence} Check the wallet and solanaRpcUrl.`,
      );
  }
}
