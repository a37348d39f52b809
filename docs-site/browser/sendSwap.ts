import { keccak256 } from 'viem/utils';
import { chainFacts } from '../../client/chains/index.ts';
import type { QuoteOutput } from '../../router/index.ts';
import { type BuiltTransaction, buildTransaction } from './buildTransaction.ts';
import { chains, switchChain } from './chains.ts';
import { assertExpected } from './expectedTransaction.ts';
import type { Provider } from './findWallets.ts';
import { shorten, toWhole } from './numbers.ts';
import { alone, dropSwap, keepSwap, readSwap, type SwapRecord } from './swapRecords.ts';
import { WalletError, walletCode } from './walletErrors.ts';
import { ask, readAllowance, readBalance, readNonce, wasReplaced } from './walletReads.ts';
import { connectWallet } from './wallets.ts';

/** How long a receipt is awaited after the deadline: the clocks of the page and of the chain may differ. */
const clockMarginMs = 120_000;
const approvalMs = 600_000;
/** A swap is built anew if less of its time is left; the user may have taken long over the approval. */
const leastLeftMs = 300_000;
const pollMs = 1_000;
const remindMs = 60_000;

export interface Sending {
  quote: QuoteOutput;
  nameOf: (address: string) => string;
  /** Shows the progress. */
  say: (text: string) => void;
  /** Called with each stored step. */
  onRecord: (record: SwapRecord) => void;
}

interface Session extends Sending {
  wallet: Provider;
  account: string;
  chainId: number;
  chainName: string;
}

/**
 * Sends the swap of a quote by a wallet of this browser: reads the allowance, asks for the exact approval if it is missing,
 * simulates the swap, asks for it, and awaits its receipt. An interrupted sending continues where it stopped.
 * @throws what the wallet, the service or the page reports; a step that the wallet may have sent stays stored
 */
export function sendSwap(sending: Sending): Promise<void> {
  return alone(sending.quote, async () => {
    const started = readSwap(sending.quote);
    if (started?.step === 'swap' && started.result?.succeeded) return sending.onRecord(started);
    if (started && !started.hash) throw new WalletError('Your wallet may have sent it before. Nothing was sent now.');
    const session = await openSession(sending);
    if (started?.step === 'swap' && !started.result) return awaitSwap(session, started);
    const built = await buildChecked(session);
    await assertFunds(session);
    await approve(session, built);
    const left = built.deadline * 1_000 - Date.now();
    await swap(session, left < leastLeftMs ? await buildChecked(session) : built);
  });
}

async function openSession(sending: Sending): Promise<Session> {
  sending.say('Waiting for your wallet…');
  const connected = await connectWallet('Send with which wallet?');
  const wallet = reminding(connected.provider, sending.say);
  const { chainId } = chainFacts[sending.quote.chain];
  await switchChain(wallet, chainId);
  const chainName = chains[chainId]?.chainName ?? `chain ${chainId}`;
  return { ...sending, wallet, account: connected.address, chainId, chainName };
}

/** A wallet that does not reply leaves the user waiting: after a minute the page states it. */
function reminding(wallet: Provider, say: (text: string) => void): Provider {
  return {
    async request(call) {
      const text = 'Your wallet has not replied for a minute. Open it, and confirm or reject the request.';
      const timer = setTimeout(say, remindMs, text);
      try {
        return await wallet.request(call);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function buildChecked({ quote, account, chainId, chainName, wallet }: Session): Promise<BuiltTransaction> {
  const built = await buildTransaction(quote, account);
  await assertExpected(built, { quote, account, chainId });
  const code = await ask(wallet, 'eth_getCode', [built.to, 'latest']);
  if (typeof code !== 'string') throw unread('the executor');
  if (keccak256(code as `0x${string}`) !== built.executor.codeHash)
    throw new WalletError(
      `The contract at ${built.to} is not the executor on the ${chainName} of your wallet. Nothing was sent.`,
    );
  return built;
}

const unread = (what: string) =>
  new WalletError(`Your wallet's node did not return ${what}. Nothing was sent. Try again.`);

/** @throws {WalletError} the account lacks the tokens or the gas */
async function assertFunds({ quote, wallet, account, chainId, chainName, nameOf }: Session): Promise<void> {
  const balance = await readBalance(wallet, quote.tokenIn, account);
  if (balance === undefined) throw unread('your balance');
  const shown = (units: bigint | string) => `${toWhole(String(units), quote.decimals.in)} ${nameOf(quote.tokenIn)}`;
  if (balance < BigInt(quote.amountIn))
    throw new WalletError(
      `Account ${shorten(account)} has ${shown(balance)} on ${chainName}, and the swap sells ${shown(quote.amountIn)}. Nothing was sent.`,
    );
  const gas = await ask(wallet, 'eth_getBalance', [account, 'latest']);
  if (typeof gas === 'string' && BigInt(gas) === 0n)
    throw new WalletError(
      `Account ${shorten(account)} has no ${chains[chainId]?.coin} on ${chainName} to pay the gas. Nothing was sent.`,
    );
}

/** Asks for an approval of exactly the sold amount, unless the allowance suffices. */
async function approve(session: Session, { to, approvals }: BuiltTransaction): Promise<void> {
  const { quote, wallet, account, say } = session;
  const isEnough = async () => {
    const allowance = await readAllowance(wallet, quote.tokenIn, { account, spender: to });
    if (allowance === undefined) throw unread('the allowance');
    return allowance >= BigInt(quote.amountIn);
  };
  const [approval] = approvals;
  if (!approval || (await isEnough())) return;
  const started = readSwap(quote);
  const isSent = started?.step === 'approval' && started.account === account && !started.result;
  if (!isSent)
    say(
      `Approve exactly ${toWhole(quote.amountIn, quote.decimals.in)} ${session.nameOf(quote.tokenIn)} in your wallet…`,
    );
  const record = isSent
    ? started
    : await sendOnce(session, { step: 'approval', until: Date.now() + approvalMs }, { ...approval, value: '0' });
  say('The approval is sent. Waiting until it is mined…');
  const mined = await awaitReceipt(session, record);
  keep(session, { ...record, result: mined });
  if (!mined.succeeded) throw new WalletError(`The approval failed in block ${mined.block}. The swap was not sent.`);
  // Another node of the wallet may not have the block yet.
  for (const until = Date.now() + clockMarginMs; !(await isEnough()); await pause())
    if (Date.now() > until)
      throw new WalletError("Your wallet's node does not show the approval. The swap was not sent.");
}

async function swap(session: Session, built: BuiltTransaction): Promise<void> {
  const { quote, wallet, account, say } = session;
  const { to, data, value, warnings } = built;
  say('Simulating the swap…');
  await wallet
    .request({ method: 'eth_call', params: [{ from: account, to, data }, 'latest'] })
    .catch((error: unknown) => {
      const reason = String((error as { message?: unknown } | null)?.message ?? error).slice(0, 160);
      throw new WalletError(
        `The swap would fail now (${reason}). Nothing was sent. Buy a new quote, or select a larger slippage.`,
      );
    });
  const before = await readBalance(wallet, quote.tokenOut, account);
  say(['Confirm the swap in your wallet…', ...warnings].join(' '));
  const started = { step: 'swap' as const, until: built.deadline * 1_000 + clockMarginMs };
  const known = before === undefined ? {} : { balanceBefore: String(before) };
  await awaitSwap(session, await sendOnce(session, { ...started, ...known }, { to, data, value }));
}

async function awaitSwap(session: Session, record: SwapRecord): Promise<void> {
  const { quote, wallet, say } = session;
  say('The swap is sent. Waiting until it is mined…');
  const mined = await awaitReceipt(session, record);
  const after = await readBalance(wallet, quote.tokenOut, record.account, `0x${BigInt(mined.block).toString(16)}`);
  const isKnown = mined.succeeded && record.balanceBefore !== undefined && after !== undefined;
  const received = isKnown ? { received: String(after - BigInt(record.balanceBefore ?? 0)) } : {};
  keep(session, { ...record, result: { ...mined, ...received } });
}

function keep({ quote, onRecord }: Sending, record: SwapRecord): void {
  keepSwap(quote, record);
  onRecord(record);
}

/**
 * Codes of EIP-1193 and JSON-RPC with which a wallet has sent nothing. After other errors it may have sent, also after
 * 4900 and 4901: it may have lost its connection after it sent.
 */
const sentNothing = [4001, 4100, 4200, -32601, -32602];

/** Whether the wallet may have sent a swap, or has not replied yet. */
const isOpen = ({ step, hash, result }: SwapRecord) => hash === undefined || (step === 'swap' && !result);

/** Asks the wallet for one transaction, stored before. */
async function sendOnce(
  session: Session,
  step: Pick<SwapRecord, 'step' | 'until' | 'balanceBefore'>,
  { to, data, value }: { to: string; data: string; value: string },
): Promise<SwapRecord> {
  const { quote, wallet, account, chainId } = session;
  await assertSender(session);
  const nonce = await readNonce(wallet, account);
  const earlier = readSwap(quote);
  // Over plain http there is no lock, so another tab may have asked in the meantime.
  if (earlier && isOpen(earlier))
    throw new WalletError('Another tab is sending this swap. Nothing was sent from here.');
  const record = { ...step, account, requestedAt: Date.now(), ...(nonce !== undefined && { nonce }) };
  keepSwap(quote, record);
  const toHex = (number: number | string) => `0x${BigInt(number).toString(16)}`;
  // The wallet may change its chain after the check above; with the id in the request it then refuses.
  const params = [{ from: account, to, data, value: toHex(value), chainId: toHex(chainId) }];
  const hash = await wallet.request({ method: 'eth_sendTransaction', params }).catch((error: unknown) => {
    if (sentNothing.includes(walletCode(error) ?? 0)) earlier ? keepSwap(quote, earlier) : dropSwap(quote);
    throw error;
  });
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash))
    throw new WalletError('The wallet returned no transaction hash. It may have sent the transaction.');
  keep(session, { ...record, hash });
  return { ...record, hash };
}

/** @throws {WalletError} the user selected another account or chain in the meantime */
async function assertSender({ wallet, account, chainId, chainName }: Session): Promise<void> {
  const accounts = await wallet.request({ method: 'eth_accounts' });
  const isOffered =
    Array.isArray(accounts) && accounts.some((each) => String(each).toLowerCase() === account.toLowerCase());
  if (!isOffered)
    throw new WalletError(`Your wallet no longer offers account ${shorten(account)}. Select it, and press again.`);
  const connected = Number(await wallet.request({ method: 'eth_chainId' }));
  if (connected !== chainId)
    throw new WalletError(`Your wallet is on chain ${connected}, and the swap is on ${chainName}. Press again.`);
}

/** @throws {WalletError} the node does not answer, or the transaction is replaced or not mined in time */
async function awaitReceipt(session: Session, record: SwapRecord): Promise<NonNullable<SwapRecord['result']>> {
  const { wallet, say } = session;
  const { hash, step, until } = record;
  for (;;) {
    // Before the receipt: if the transaction is mined between the two reads, the receipt is there.
    const isReplaced = await wasReplaced(wallet, record);
    const receipt = await ask(wallet, 'eth_getTransactionReceipt', [hash]);
    if (typeof receipt === 'object' && receipt !== null) {
      const { status, blockNumber } = receipt as { status?: string; blockNumber?: string };
      return { succeeded: Number(status) === 1, block: String(Number(blockNumber)) };
    }
    const isRead = receipt === null && isReplaced !== undefined;
    if (isRead && isReplaced) throw replaced(session, record);
    if (!isRead) say(`The ${step} is sent, but your wallet's node does not answer. Asking again…`);
    if (Date.now() > until) throw isRead ? await late(session, record) : unanswered(step);
    await pause();
  }
}

const unanswered = (step: string) =>
  new WalletError(`The ${step} was sent, and your wallet's node does not answer. Look it up later.`);

/** The error for a transaction that another one of the account may have replaced: the wallet sped it up or cancelled it. */
function replaced(session: Session, record: SwapRecord): WalletError {
  if (record.step === 'swap') keep(session, { ...record, isReplaced: true });
  // A second approval of the same amount changes nothing.
  else dropSwap(session.quote);
  return new WalletError(
    record.step === 'swap'
      ? 'The page does not know whether the swap was executed.'
      : 'Another transaction of this account replaced the approval. Press again to continue.',
  );
}

/** The error for a transaction that is not mined in time. A swap is given up only if the chain is past its deadline. */
async function late(session: Session, record: SwapRecord): Promise<WalletError> {
  const { quote, wallet } = session;
  const { step, until, nonce } = record;
  if (step === 'approval')
    return new WalletError('The approval is not mined yet. Look at your wallet, and press again later.');
  const head = (await ask(wallet, 'eth_getBlockByNumber', ['latest', false])) as
    | { timestamp?: string }
    | null
    | undefined;
  const isPast = Number(head?.timestamp) * 1_000 > until - clockMarginMs;
  if (!isPast) return unanswered(step);
  if (nonce === undefined) return replaced(session, record);
  dropSwap(quote);
  return new WalletError('The swap was not mined before its deadline, so it moved nothing. You can send it again.');
}

const pause = () => new Promise((done) => setTimeout(done, pollMs));
