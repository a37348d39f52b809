import type { HealthBody, QuoteOutput } from '../../router/index.ts';
import type { BuiltTransaction } from './buildTransaction.ts';
import { chosenSlippageBps, leastReceived } from './leastReceived.ts';
import { WalletError } from './walletErrors.ts';
import { toWord } from './walletReads.ts';

/** Selector of ERC-20's `approve`. */
const approve = '0x095ea7b3';

/**
 * Compares a transaction with the quote, the account, and the executor of `GET /health`, before a wallet gets it.
 * @throws {WalletError} it differs
 */
export async function assertExpected(
  built: BuiltTransaction,
  { quote, account, chainId }: { quote: QuoteOutput; account: string; chainId: number },
): Promise<void> {
  const health: HealthBody | undefined = await fetch('/health')
    .then((response) => response.json())
    .catch(() => undefined);
  if (!health) throw new WalletError('GET /health could not be read. Nothing was sent. Try again.');
  const { to, data, value, approvals, minAmountOut, executor } = built;
  const isExecutor = [executor.address, health.executor?.address].every((each) => isSame(each, to));
  const least = leastReceived(quote.amountOut, chosenSlippageBps());
  const faults = [
    !isExecutor && `it calls ${to}, not the executor of this service`,
    health.executor?.codeHash !== executor.codeHash && 'its executor has another code hash than GET /health',
    built.chainId !== chainId && `it is for chain ${built.chainId}`,
    value !== '0' && `it sends ${value} wei`,
    BigInt(minAmountOut) < least && `its minimum is ${minAmountOut}, not ${least}`,
    !data.toLowerCase().includes(toWord(account)) && 'another account would receive the tokens',
    approvals.some((each) => !isExact(each, to, quote)) && 'its approval is not for the exact amount',
  ].filter((fault) => fault !== false);
  if (faults.length > 0)
    throw new WalletError(
      `The transaction of the service is not the expected one: ${faults.join('; ')}. Nothing was sent.`,
    );
}

function isExact(approval: BuiltTransaction['approvals'][number], to: string, { tokenIn, amountIn }: QuoteOutput) {
  const data = approve + toWord(to) + toWord(BigInt(amountIn));
  return isSame(approval.to, tokenIn) && isSame(approval.data, data);
}

const isSame = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();
