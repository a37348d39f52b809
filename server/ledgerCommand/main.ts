import { ConfigError, readConfig, readDatabaseUrl } from '../config/index.ts';
import { databaseLocation } from '../liveMode.ts';
import {
  BackupTargetError,
  DatabaseInUseError,
  DatabaseMissingError,
  DatabaseTooNewError,
  DatabaseTooOldError,
  DatabaseUnavailableError,
  openBook,
  type PaymentBook,
} from '../storage/index.ts';
import { backUp } from './backUp.ts';
import { describeCounts, describeEntries, toLine } from './describe.ts';
import { reconcile } from './reconcile.ts';
import { report } from './report.ts';
import { readReportOptions } from './reportOptions.ts';

// npm run ledger -- show [key, payer or transaction] | credits | report | export | backup <file> | reconcile

const usage = `npm run ledger -- <command>
  show               number of payments by network and state, and the unfinished ones
  show <text>        every payment with that key, payer or transaction
  credits            payments that are settled but not answered yet
  report [options]   payments and money by UTC day, product and network; writes nothing
      --from <time>  first day or time, in UTC: 2026-11-29 or 2026-11-29T08:00Z; default: the first payment
      --to <time>    end, which is not included; default: now
      --csv, --json  the same figures for programs
      --reconcile    compares the ledger with the USDC that the payees received (needs the live configuration);
                     exits with 1 if they differ
  export             every payment, one JSON object per line
  backup <file>      copies the SQLite database into a new file, also while the service runs
  reconcile          looks up unfinished payments on chain and completes them (needs the live configuration)
The database is DATABASE_URL if set, otherwise the file in DATA_DIR.
`;

/** Errors that an operator can fix. Their message is printed without a stack. */
const operatorErrors = [
  BackupTargetError,
  ConfigError,
  DatabaseInUseError,
  DatabaseMissingError,
  DatabaseTooNewError,
  DatabaseTooOldError,
  DatabaseUnavailableError,
];

const location = () => databaseLocation(readDatabaseUrl(process.env), process.env.DATA_DIR ?? 'data');

const print = (text: string): void => void process.stdout.write(text);

const commands: Record<string, (book: PaymentBook, text: string | undefined) => Promise<void>> = {
  async show(book, text) {
    if (text !== undefined) return print(describeEntries(await book.find(text)));
    print(describeCounts(await book.counts()));
    print(`\nUnfinished\n${describeEntries(await book.unfinished())}`);
  },
  async credits(book) {
    print(describeEntries(await book.credits()));
  },
  async export(book) {
    for await (const entry of book.entries()) print(toLine(entry));
  },
};

try {
  const [command = '', text] = process.argv.slice(2);
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (command === 'report') {
    const options = readReportOptions(process.argv.slice(3), Date.now());
    const { book, close } = await openBook(location());
    const { text: reported, differences } = await report(book, options, process.env).finally(close);
    print(reported);
    if (differences > 0) process.exitCode = 1;
  } else if (command === 'reconcile') print(await reconcile(readConfig(process.env)));
  else if (command === 'backup') print(backUp(location(), text));
  else if (run) {
    const { book, close } = await openBook(location());
    await run(book, text).finally(close);
  } else {
    process.stderr.write(usage);
    process.exitCode = 2;
  }
} catch (error) {
  if (!(error instanceof Error) || !operatorErrors.some((kind) => error instanceof kind)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
