import type { SolanaSignTransactionFeature } from '@solana/wallet-standard-features';
import type { StandardConnectFeature } from '@wallet-standard/features';
import type { SolanaSigner } from '../../client/index.ts';
import type { StandardWallet } from './findWallets.ts';
import { shorten, toWhole } from './numbers.ts';
import { WalletError } from './walletErrors.ts';

/** The service forwards the reads of a payment to its own nodes: public ones refuse requests of pages. */
export const solanaReadsUrl = () => `${location.origin}/rpc/solana`;

type Features = StandardConnectFeature & SolanaSignTransactionFeature;
type Transactions = readonly { messageBytes: Uint8Array }[];

/**
 * A wallet of the wallet standard as a signer of @solana/kit. It may add instructions: wallets add guards.
 * @param say shows the balance before the wallet asks
 * @throws {WalletError} there is no account, or too little USDC. Errors of the wallet pass through unchanged.
 */
export async function connectSolanaWallet(wallet: StandardWallet, say: (text: string) => void): Promise<SolanaSigner> {
  const features = wallet.features as unknown as Features;
  const { accounts } = await features['standard:connect'].connect();
  const account = accounts.find(({ chains }) => chains.includes('solana:mainnet'));
  if (!account) throw new WalletError('The wallet offered no account on Solana. Nothing was signed.');
  return {
    address: account.address,
    async modifyAndSignTransactions(transactions: Transactions) {
      const { decodeTransaction, encodeTransaction, readTransfer } = await import('./solanaTransactions.ts');
      const signed: ReturnType<typeof decodeTransaction>[] = [];
      for (const transaction of transactions) {
        const transfer = readTransfer(transaction);
        if (transfer) await showFunds(transfer, account.address, say);
        const [output] = await features['solana:signTransaction'].signTransaction({
          account,
          chain: 'solana:mainnet',
          transaction: encodeTransaction(transaction),
        });
        if (!output) throw new WalletError('The wallet returned no signature.');
        signed.push(decodeTransaction(output.signedTransaction));
      }
      return signed;
    },
  };
}

const usdc = (units: bigint) => `${toWhole(String(units), 6)} USDC`;

/** @throws {WalletError} the account has less USDC than the payment. A balance that cannot be read stops nothing. */
async function showFunds(
  { source, amount }: { source: string; amount: bigint },
  owner: string,
  say: (text: string) => void,
): Promise<void> {
  const balance = await readTokenBalance(source);
  if (balance === undefined)
    return say(`Your balance on Solana was not read. Confirm the payment of ${usdc(amount)} in your wallet.`);
  if (balance < amount)
    throw new WalletError(
      `Your account has ${usdc(balance)} on Solana, and this costs ${usdc(amount)}. Nothing was signed.`,
    );
  say(
    `Account ${shorten(owner)} has ${usdc(balance)} on Solana. Confirm the payment of ${usdc(amount)} in your wallet.`,
  );
}

/** Invalid params: the node knows no such token account. */
const noAccount = -32602;
const timeoutMs = 3_000;

async function readTokenBalance(account: string): Promise<bigint | undefined> {
  try {
    const response = await fetch(solanaReadsUrl(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getTokenAccountBalance', params: [account] }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { result, error } = (await response.json()) as {
      result?: { value: { amount: string } };
      error?: { code: number };
    };
    if (error?.code === noAccount) return 0n;
    return result && BigInt(result.value.amount);
  } catch {
    return undefined;
  }
}
