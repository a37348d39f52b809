import { encodeStored } from '../../server/payments/decodePayment.ts';
import type {
  Funds,
  LateStatus,
  PaidTransaction,
  SettleOutcome,
  VerifyOutcome,
} from '../../server/payments/facilitator.ts';
import type { JournaledTransaction, PaymentFacts } from '../../server/payments/ledger/ledgerTypes.ts';
import { MalformedPaymentError } from '../../server/payments/malformedPaymentError.ts';
import type { NetworkOffers } from '../../server/payments/networkOffers.ts';
import type { BuiltOffer } from '../../server/payments/offer.ts';
import { createPaidWallets } from '../../server/payments/paidWallets.ts';
import { defaultTimings } from '../../server/payments/paymentConfig.ts';
import type { PaymentContext } from '../../server/payments/paymentContext.ts';
import type { NetworkPayment, PaymentNetwork } from '../../server/payments/paymentNetwork.ts';
import type { PaymentAttempt } from '../../server/payments/paymentTypes.ts';
import { createPreparations } from '../../server/payments/preparations.ts';
import { createWalletTurns } from '../../server/payments/walletTurns.ts';
import type { Stores } from '../../server/storage/index.ts';
import { openTemporaryStores } from './temporaryStores.ts';

export const networkName = 'eip155:8453';
export const terms = {
  scheme: 'exact',
  network: networkName,
  amount: '20000',
  asset: '0xasset',
  payTo: '0xpayee',
  maxTimeoutSeconds: 180,
  extra: {},
} as const;

/** A chain that gives the results that a test sets, and records its calls. */
export interface ScriptedNetwork extends PaymentNetwork {
  verify: () => Promise<VerifyOutcome>;
  verifyPayload: NetworkPayment['verifyPayload'];
  settle: NetworkPayment['settle'];
  readLateStatus: (key: string, sent: readonly JournaledTransaction[]) => Promise<LateStatus>;
  readFunds: () => Promise<Funds>;
  expiresAt: number | undefined;
  spendsOurGas: boolean;
  calls: string[];
  watched: { key: string; paid: PaidTransaction }[];
  resent: JournaledTransaction[];
}

const settled: SettleOutcome = { kind: 'settled', transaction: '0xpaid' };

export function createScriptedNetwork(network = networkName): ScriptedNetwork {
  const scripted: ScriptedNetwork = {
    network,
    expiresAt: undefined,
    spendsOurGas: true,
    calls: [],
    watched: [],
    resent: [],
    verify: async () => ({ kind: 'valid' }),
    verifyPayload: async () => ({ kind: 'valid' }),
    settle: async () => settled,
    readLateStatus: async () => ({ kind: 'open' }),
    readFunds: async () => ({ balance: 10n ** 12n, ended: new Set() }),
    start: async () => undefined,
    offerExtra: async () => ({}),
    account: undefined,
    readSettlementState: async () => ({ obstacle: undefined, settlements: 1_000n, gasCost: 0n }),
    async resend(transactions) {
      scripted.resent.push(...transactions);
    },
    close: () => undefined,
    read({ payload }) {
      const { key } = payload;
      if (typeof key !== 'string') throw new MalformedPaymentError('The payload has no key.');
      const seen = <T>(name: string, work: () => T): T => {
        scripted.calls.push(name);
        return work();
      };
      return {
        key,
        payer: '0xPayer',
        encode: (accepted) => encodeStored(accepted, payload),
        expiresAt: scripted.expiresAt,
        spendsOurGas: scripted.spendsOurGas,
        isSigned: async () => true,
        verifyPayload: (...given) => seen('verifyPayload', () => scripted.verifyPayload(...given)),
        verify: () => seen('verify', () => scripted.verify()),
        readFunds: () => seen('readFunds', () => scripted.readFunds()),
        settle: (task) => seen('settle', () => scripted.settle(task)),
        watchPaid: (paid) => void scripted.watched.push({ key, paid }),
        readLateStatus: (sent) => seen('readLateStatus', () => scripted.readLateStatus(key, sent)),
      };
    },
  };
  return scripted;
}

export const factsOf = (key: string, changes: Partial<PaymentFacts> = {}): PaymentFacts => ({
  key,
  fingerprint: `fingerprint of ${key}`,
  network: networkName,
  payer: '0xPayer',
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{}',
  payload: encodeStored(terms, { key }),
  ...changes,
});

/** The offer of one product, on networks without an obstacle. */
function offersWith(offer: BuiltOffer): NetworkOffers {
  const find = (paid: string) => (paid === 'quote' ? offer : undefined);
  return {
    find,
    findAll: find,
    all: () => [offer],
    obstacleOf: () => undefined,
    recheck: async () => undefined,
    recheckAfterFailure: async () => undefined,
    called: () => undefined,
    states: () => ({}),
    gas: () => ({}),
    stop: () => undefined,
  };
}

export interface LogLine {
  level: 'info' | 'warn' | 'error';
  message: string;
  facts: object;
}

/** A payment service's context with a real ledger and a scripted network. */
export async function openScripted(changes: Partial<PaymentContext> = {}) {
  const clock = { time: 1_800_000_000_000 };
  const now = () => clock.time;
  const stores: Stores = await openTemporaryStores(now);
  const network = createScriptedNetwork();
  const lines: LogLine[] = [];
  const log = (level: LogLine['level']) => (facts: object, message: string) =>
    void lines.push({ level, message, facts });
  const offer: BuiltOffer = {
    accepts: [],
    challengeAt: () => ({ header: 'CHALLENGE', summary: {} }),
    headerFor: (error) => `REQUIRED ${error}`,
    find: () => undefined,
    trialGroup: undefined,
  };
  const logger = { info: log('info'), warn: log('warn'), error: log('error') };
  const paidWallets = createPaidWallets(stores.ledger, now, logger);
  const context: PaymentContext = {
    offers: offersWith(offer),
    paymentNetworks: new Map([[networkName, network]]),
    ledger: stores.ledger,
    settlements: new Map(),
    verifying: new Map(),
    releasing: new Map(),
    turns: createWalletTurns({ timeoutMs: 20, pollMs: 5 }),
    limitPayer: () => undefined,
    onEvent: () => undefined,
    freeTrialsPerIp: undefined,
    now,
    paidWallets,
    preparations: createPreparations(paidWallets),
    logger,
    timings: { ...defaultTimings, settleDeadlineMs: 5_000, joinDeadlineMs: 5_000 },
    ...changes,
  };
  /** Claims a payment and returns its row. */
  const claim = async (key: string, more: Partial<PaymentFacts> = {}) =>
    (await stores.ledger.claim(factsOf(key, more))).row;
  const paymentOf = (key: string) =>
    network.read({ accepted: terms, payload: { key }, canonicalPayload: '', extensions: {} });
  return {
    clock,
    stores,
    ledger: stores.ledger,
    network,
    offer,
    context,
    lines,
    claim,
    paymentOf,
    close: () => stores.close(),
  };
}

/** A transaction in the journal of a scripted payment. */
export const transactionOf = (hash: string) => ({ hash, raw: `raw of ${hash}`, nonce: 1, fromBlock: 1n });

/** A stored payload that this version cannot decode. */
export const undecodable = { payload: '{"version":1}' };

/** Claims a payment and journals a transaction for it. */
export async function sendScripted(
  { claim, ledger }: Pick<Scripted, 'claim' | 'ledger'>,
  key: string,
  changes: Partial<PaymentFacts> = {},
): Promise<void> {
  await claim(key, changes);
  await ledger.journal(key, transactionOf(key));
}

/** Like `sendScripted`; the payment is then refused. */
export async function refuseScripted(
  opened: Pick<Scripted, 'claim' | 'ledger'>,
  key: string,
  changes: Partial<PaymentFacts> = {},
): Promise<void> {
  await sendScripted(opened, key, changes);
  await opened.ledger.refused(key, 'reverted');
}

/** A request with a scripted payment, for the query of `factsOf`. */
export function attemptWith(key: string, identifier?: string): PaymentAttempt {
  const extensions = { 'payment-identifier': { info: { required: false, id: identifier } } };
  const payload = {
    x402Version: 2,
    accepted: terms,
    payload: { key },
    ...(identifier !== undefined && { extensions }),
  };
  const paymentHeader = Buffer.from(JSON.stringify(payload)).toString('base64');
  return { paid: 'quote', route: 'POST /v1/quote', canonicalInput: '{}', queryKey: '{}', paymentHeader };
}

export type Scripted = Awaited<ReturnType<typeof openScripted>>;
