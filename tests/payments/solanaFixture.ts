import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  address,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  getBase58Encoder,
  type KeyPairSigner,
  mainnet,
  type Signature,
} from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { type SandboxSolana, solanaWallet, startSolana } from '../../sandbox/index.ts';
import { createPaymentService, type PaymentConfig, type PaymentService } from '../../server/payments/index.ts';
import { openStores } from '../../server/storage/index.ts';
import { findWallet } from '../support/findWallet.ts';
import { silent } from './paymentFixture.ts';

export const solanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

export interface SolanaPayer {
  signer: KeyPairSigner;
  address: string;
}

/** Configuration that settles on the local Solana and offers only quotes. */
function paymentConfigOn(solana: SandboxSolana, rpcUrl = solana.rpcUrl): Omit<PaymentConfig, 'ledger'> {
  return {
    networks: [
      {
        network: solanaNetwork,
        rpcUrls: [rpcUrl],
        facilitatorKey: findWallet(solana.wallets, 'facilitator').secretKey,
        payTo: findWallet(solana.wallets, 'payTo').address,
        asset: solana.usdc,
      },
    ],
    offers: [
      {
        paid: 'quote',
        priceUsd: '0.02',
        resource: { url: 'http://localhost/v1/quote', description: 'A quote', mimeType: 'application/json' },
      },
    ],
    now: Date.now,
    logger: silent,
    timings: { receiptPollMs: 50 },
  };
}

async function openPayer(secretKey: string): Promise<SolanaPayer> {
  const signer = await createKeyPairSignerFromBytes(new Uint8Array(getBase58Encoder().encode(secretKey)));
  return { signer, address: signer.address };
}

/** The local Solana with its token balances, and payment services on it. */
export async function openSolanaFixture(now?: () => number) {
  const solana = await startSolana(now);
  const rpc = createSolanaRpc(mainnet(solana.rpcUrl));
  const folder = await mkdtemp(join(tmpdir(), 'truefill-ledger-'));
  const walletOf = (role: string) => findWallet(solana.wallets, role);
  const newLedgerFile = (): string => join(folder, `${randomBytes(6).toString('hex')}.db`);

  const paymentConfig = (rpcUrl?: string) => paymentConfigOn(solana, rpcUrl);

  async function openPaymentService(
    options: { file?: string; url?: string; rpcUrl?: string; change?: (config: PaymentConfig) => PaymentConfig } = {},
  ) {
    const location = options.url === undefined ? { file: options.file ?? newLedgerFile() } : { url: options.url };
    const stores = await openStores(location, Date.now);
    const { ledger } = stores;
    const config = { ...paymentConfig(options.rpcUrl), ledger };
    const paymentService = await createPaymentService(options.change?.(config) ?? config);
    return {
      paymentService,
      ledger,
      /** Ends the pauses of all wallets. */
      endPauses: () => stores.database.write((sql) => sql.updateTable('payers').set({ paused_until: 0 }).execute()),
      close: async () => {
        await paymentService.close();
        await stores.close();
      },
    };
  }

  return {
    solana: solana as SandboxSolana,
    rpc,
    walletOf,
    newLedgerFile,
    paymentConfig,
    openPaymentService,
    /** A new wallet with `units` of USDC; undefined: without a token account. */
    async newPayer(units?: bigint): Promise<SolanaPayer> {
      const { secretKey } = await solanaWallet(randomBytes(32));
      const payer = await openPayer(secretKey);
      if (units !== undefined) await solana.setUsdcBalance(payer.address, units);
      return payer;
    },
    /** The payload that the published client signs for a challenge. */
    async sign(paymentService: PaymentService, { signer }: SolanaPayer): Promise<PaymentPayload> {
      const client = new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl: solana.rpcUrl }));
      return client.createPaymentPayload(decodePaymentRequiredHeader(paymentService.challenge('quote').header));
    },
    async usdcOf(owner: string): Promise<bigint> {
      const [tokenAccount] = await findAssociatedTokenPda({
        owner: address(owner),
        mint: address(solana.usdc),
        tokenProgram: TOKEN_PROGRAM_ADDRESS,
      });
      const { value } = await rpc.getTokenAccountBalance(tokenAccount).send();
      return BigInt(value.amount);
    },
    lamportsOf: async (owner: string): Promise<bigint> => (await rpc.getBalance(address(owner)).send()).value,
    async statusOf(signature: string) {
      const { value } = await rpc.getSignatureStatuses([signature as Signature]).send();
      return value[0];
    },
    async close() {
      await solana.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type SolanaFixture = Awaited<ReturnType<typeof openSolanaFixture>>;
