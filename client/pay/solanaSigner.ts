import { TruefillError } from '../errors.ts';

/** A transaction signer of @solana/kit. */
export interface SolanaSigner {
  address: string;
  // biome-ignore lint/suspicious/noExplicitAny: kit brands its transactions by type
  signTransactions(...transactions: any[]): Promise<any>;
}

const systemProgram = '11111111111111111111111111111111';

/**
 * A signer that signs only transactions that expire with their blockhash. A durable nonce, which starts with an instruction
 * of the System Program (`AdvanceNonceAccount`), would keep a payment valid for years.
 */
export function expiringOnly(signer: SolanaSigner): SolanaSigner {
  return {
    address: signer.address,
    async signTransactions(transactions: readonly { messageBytes: Uint8Array }[], ...rest: unknown[]) {
      const { getCompiledTransactionMessageDecoder } = await import('@solana/kit');
      const decoder = getCompiledTransactionMessageDecoder();
      for (const { messageBytes } of transactions) {
        const { instructions, staticAccounts } = decoder.decode(messageBytes);
        const [first] = instructions;
        if (!first || staticAccounts[first.programAddressIndex] === systemProgram)
          throw new TruefillError(
            'The Solana payment would not expire: it starts with a durable nonce or has no instruction. Nothing was signed. Check the wallet and solanaRpcUrl.',
          );
      }
      return signer.signTransactions(transactions, ...rest);
    },
  };
}
