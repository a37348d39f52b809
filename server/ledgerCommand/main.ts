import { ConfigError, readConfig, readDatabaseUrl } from '../config/index.ts';
import { databaseLocation } from '../liveMode.ts';
import {
  BackupTargetError,
  DatabaseInUseError,
  DatabaseMissingError,
  DatabaseTooNewError,
  DatabaseUnavailableError,
  openBook,
  type PaymentBook,
} from '../storage/index.ts';
import { backUp } from './backUp.ts';
import { describeCounts, describeEntries, toLine } from './describe.ts';
import { reconcile } from './reconcile.ts';

// npm run ledger -- show [key, payer or transaction] | credits | export | backup <file> | reconcile

const usage = `npm run ledger -- <command>
  show               number of payments by network and state, and the unfinished ones
  show <text>        every payment with that key, payer or transaction
  credits            payments that are settled but not answered yet
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
  if (command === 'reconcile') print(await reconcile(readConfig(process.env)));
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
