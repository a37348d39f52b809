import { ConfigError, readConfig } from '../config/index.ts';
import { openLiveEnvironment } from '../liveMode.ts';
import type { PaymentBook } from '../storage/index.ts';
import { countDifferences, describeReconciliation, toReconciliationJson } from './formatReconciliation.ts';
import { toCsv, toReportRow, toText } from './formatReport.ts';
import { reconcilePayees } from './reconcilePayees.ts';
import type { ReportOptions } from './reportOptions.ts';

/** The networks of the live configuration. @throws {ConfigError} */
function readNetworks(env: NodeJS.ProcessEnv) {
  const config = readConfig(env);
  if (config.mode !== 'live')
    throw new ConfigError(['--reconcile reads the chains: set TRUEFILL_MODE=live and the live configuration']);
  return openLiveEnvironment(config).payments;
}

/**
 * Reports payments by UTC day, product and network, and compares them with the chains if asked. Writes nothing.
 * @returns the text for the terminal, and the number of differences between ledger and chain
 * @throws {ConfigError}
 */
export async function report(
  book: PaymentBook,
  options: ReportOptions,
  env: NodeJS.ProcessEnv,
): Promise<{ text: string; differences: number }> {
  const { from, to, format } = options;
  const networks = options.reconcile ? readNetworks(env) : [];
  const totals = await book.dayTotals({ from, to });
  const start = from > 0 ? from : totals[0]?.day;
  if (options.reconcile && start === undefined)
    throw new ConfigError(['The ledger has no payments, so --reconcile needs --from']);
  const compared = options.reconcile ? await reconcilePayees(networks, book, { from: start ?? 0, to }) : [];
  const differences = countDifferences(compared);
  if (format === 'csv') return { text: toCsv(totals.map(toReportRow)), differences };
  if (format === 'text')
    return { text: toText(totals, options) + (options.reconcile ? describeReconciliation(compared) : ''), differences };
  const json = {
    from: from === 0 ? null : new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    rows: totals.map(toReportRow),
    ...(options.reconcile && { reconciliation: toReconciliationJson(compared) }),
  };
  return { text: `${JSON.stringify(json, undefined, 2)}\n`, differences };
}
