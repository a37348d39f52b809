import {
  address,
  appendTransactionMessageInstruction,
  compileTransaction,
  createKeyPairSignerFromBytes,
  decompileTransactionMessage,
  getBase58Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { Browser, Page } from 'playwright-core';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import type { SandboxSolana } from '../../sandbox/sandboxTypes.ts';
import { findWallet } from '../support/findWallet.ts';
import type { LiveSite } from './liveSite.ts';

// A page with a wallet of the wallet standard, whose key the test holds.

export interface FakeSolanaWallet {
  /** The transactions that it was asked to sign. */
  requests: number;
  /** Thrown instead of a signature, as a plain object. */
  refusal?: object;
  /** Adds an instruction before it signs, as wallets add guards. */
  addsInstruction: boolean;
}

export function solanaOf({ sandbox }: LiveSite): SandboxSolana {
  if (!sandbox.solana) throw new Error('The sandbox has no Solana.');
  return sandbox.solana;
}

/** Registers the wallet by the events of the wallet standard. */
const register = (at: string) => `
  const account = { address: '${at}', publicKey: new Uint8Array(32), chains: ['solana:mainnet'], features: [] };
  const wallet = {
    version: '1.0.0',
    name: 'Sun',
    icon: 'data:image/svg+xml;base64,PHN2Zy8+',
    chains: ['solana:mainnet'],
    accounts: [],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        async signTransaction({ transaction, chain }) {
          const { signed, refusal } = await signSolana([...transaction], chain);
          if (refusal) throw refusal;
          return [{ signedTransaction: Uint8Array.from(signed) }];
        },
      },
    },
  };
  const callback = (api) => api.register(wallet);
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
  addEventListener('wallet-standard:app-ready', ({ detail: api }) => callback(api));
`;

export async function openSolanaPage(
  browser: Browser,
  url: string,
  { solana, role = 'demo' }: { solana: SandboxSolana; role?: string },
): Promise<{ page: Page; wallet: FakeSolanaWallet }> {
  const key = new Uint8Array(getBase58Encoder().encode(findWallet(solana.wallets, role).secretKey));
  const signer = await createKeyPairSignerFromBytes(key);
  const wallet: FakeSolanaWallet = { requests: 0, addsInstruction: false };
  const page = await browser.newPage();
  await page.exposeFunction('signSolana', async (bytes: number[], chain: string) => {
    if (chain !== 'solana:mainnet') throw new Error(`Asked to sign for ${chain}.`);
    wallet.requests += 1;
    if (wallet.refusal) return { refusal: wallet.refusal };
    const given = getTransactionDecoder().decode(new Uint8Array(bytes));
    const transaction = wallet.addsInstruction ? withMemo(given.messageBytes) : given;
    const [signatures] = await signer.signTransactions([transaction as never]);
    const signed = { ...transaction, signatures: { ...transaction.signatures, ...signatures } };
    return { signed: [...getTransactionEncoder().encode(signed)] };
  });
  await page.addInitScript(register(signer.address));
  await page.goto(url);
  return { page, wallet };
}

const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

function withMemo(messageBytes: Parameters<ReturnType<typeof getCompiledTransactionMessageDecoder>['decode']>[0]) {
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
  const memo = { programAddress: memoProgram, data: new TextEncoder().encode('of the wallet') };
  return compileTransaction(appendTransactionMessageInstruction(memo, message));
}

/** The USDC of payTo on Solana, in base units: it shows what was charged. */
export async function receivedOnSolana({ rpcUrl, usdc, wallets }: SandboxSolana): Promise<bigint> {
  const owner = address(findWallet(wallets, 'payTo').address);
  const [account] = await findAssociatedTokenPda({
    owner,
    mint: address(usdc),
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  const { value } = await createNodeClient(rpcUrl).call<{ value: { amount: string } }>('getTokenAccountBalance', [
    account,
  ]);
  return BigInt(value.amount);
}
