import {
  configuration,
  json,
  mcpHost,
  notRun,
  program,
  shell,
  syntax,
  testedBy,
  type Way,
  withQuote,
  withTokens,
} from './ways.ts';

const answered = /amountOut\W+[1-9]\d+/;
const verdict = /verdict\W+clear/;
const diagram = notRun('a diagram in text');
const longProof = notRun('each command runs for minutes or hours; a test checks that every command exists');
const start = testedBy('tests/ops/npmStart.test.ts', '%s to npm start ends npm, the service and its chains');
const onServer = notRun('it needs a PostgreSQL server; docs/design/testing.md has a run by hand');
const clients = 'tests/peers/clients/clients.test.ts';
const python = [syntax('python'), testedBy(clients, 'the Python example, as printed, buys a quote for its price')];
const go = [syntax('go'), testedBy(clients, 'the Go example, as printed, buys a quote for its price')];
const curl = (answer: RegExp) => shell(new RegExp(`^HTTP/1\\.1 200 OK[\\s\\S]*${answer.source}`));
const index = testedBy(
  'tests/ops/indexCommand.test.ts',
  'default: exports while the service has the file open; check and sha256sum agree on the hash',
);
const quoteBody =
  '{"tokenIn":"0x4200000000000000000000000000000000000006","tokenOut":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913","sizeIn":"2.5"}';
/** A command and, after a blank line, the beginning of its response. */
const exchange = shell(/^HTTP\/1\.1 402 Payment Required[\s\S]*^PAYMENT-REQUIRED: eyJ4NDAyVmVyc2lvbiI6Mi/im, {
  fill: [
    ['\n\nHTTP/1.1', '\n: HTTP/1.1'],
    ['\nPAYMENT-REQUIRED', '\n: PAYMENT-REQUIRED'],
  ],
});
const packed = testedBy(
  'tests/client/package.test.ts',
  'default: a program buys from the service without other packages',
);
const demo = shell(/difference\s+0 wei/);

/** How each block is run, by its key. A block without an entry, and an entry without a block, fail the test. */
export const snippets: Readonly<Record<string, Way | readonly Way[]>> = {
  'ARCHITECTURE.md: router/      the API: schemas, procedure': diagram,
  'ARCHITECTURE.md: paid REST': diagram,
  'ARCHITECTURE.md: quote(input)': diagram,
  'ARCHITECTURE.md: check(input)': diagram,
  'CONTRIBUTING.md: npm test': notRun('npm test runs this test'),
  'CONTRIBUTING.md: .ci/run': longProof,
  'CONTRIBUTING.md: npm run prove:suite': longProof,
  'docs/deprecation.md: Deprecation: @1798761600': notRun('an example of headers that no path has yet'),
  'examples/python/README.md: TRUEFILL_KEY=0x… python3 truefill.py htt': shell(verdict, {
    before: 'cd examples/python; export PYTHONDONTWRITEBYTECODE=1; KEY=$TRUEFILL_KEY',
    fill: [['TRUEFILL_KEY=0x…', 'TRUEFILL_KEY=$KEY']],
  }),
  'ops/runbook/backup.md: npm run ledger -- backup /backups/truefi': shell(/truefill\.sqlite/, {
    before: 'mkdir backups',
    fill: [['/backups/', 'backups/']],
  }),
  'ops/runbook/backup.md: pg_dump --format=custom --file=/backups/': onServer,
  'ops/runbook/first-start.md: npm install --omit=dev --no-save': notRun(
    '`npm run check:container` runs these commands in an empty folder',
  ),
  'ops/runbook/first-start.md: sudo -u postgres createuser --pwprompt t': onServer,
  'ops/runbook/first-start.md: sudo cp ops/truefill.service /etc/system': notRun('it needs root and systemd'),
  'ops/runbook/first-start.md: TRUEFILL_MODE=live': notRun(
    'its values are placeholders; those of /guides/run are checked',
  ),
  'ops/runbook/first-start.md: curl -s https://quotes.example/ready': notRun('its host is an example'),
  'ops/runbook/key-rotation.md: node --input-type=module -e "': shell(/0x[0-9a-fA-F]{40}/),
  'ops/runbook/restore.md: sudo -u postgres createdb --owner=truefi': onServer,
  'ops/runbook/pool-index.md: npm run index -- export base base.ndjson': index,
  'ops/runbook/pool-index.md: npm run index -- check base.ndjson.gz': index,

  'README.md: npm start': start,
  'README.md: npm run demo': demo,
  'README.md: BODY=\'{"tokenIn":"0x42000000000000000000': shell(answered),
  "README.md: import { privateKeyToAccount } from 'vie": program(/^[1-9]\d+ high\n$/),
  'README.md: npm run -s truefill -- quote WETH USDC -': shell(
    /USDC for 1 WETH[\s\S]*None of the listed traps is proven/,
  ),

  'client/README.md: npm run pack:client && npm pack ./dist/c': packed,
  'client/README.md: import { createTruefillClient, isTradabl': program(/^[1-9]\d+ clear\n$/, {
    after: 'console.log(quote.amountOut, check.verdict);',
  }),
  "client/README.md: import { toTransaction } from 'truefill-": program(/^[1-9]\d+n?\n$/, {
    before: withQuote,
    after: 'console.log(minAmountOut);',
  }),
  'client/README.md: import { hasExecutor, toTransaction } fr': program(/^(executor|router) 0x/, {
    before: withQuote,
    after: 'console.log(via, swap.to);',
  }),
  'client/README.md: const { claimed, executed, difference }': program(/^([1-9]\d+)n? \1n? 0n?\n$/, {
    before: `import { verify } from 'truefill-client';${withQuote}`,
    after: 'console.log(claimed, executed, difference);',
  }),
  "client/README.md: import { createTRPCClient } from '@trpc/": program(/^[1-9]\d+\n$/, {
    before: withTokens,
    fill: [['wallet, spendLimit', 'wallet, allowSandbox: true, spendLimit']],
    after: 'console.log(quote.amountOut);',
  }),
  'client/README.md: truefill quote WETH USDC --size 2.5 --sa': [
    shell(/USDC for 1 WETH[\s\S]*difference\s+0[\s\S]*eyJ/, {
      fill: [
        ['curl -si …', `curl -si http://127.0.0.1:4020/v1/quote -H 'content-type: application/json' -d '${quoteBody}'`],
        ['truefill receipt verify answer.txt --key jwks.json', ':'],
        ['truefill quote --resume', ':'],
      ],
    }),
    testedBy(
      'tests/payments/receipts.test.ts',
      'default: `truefill receipt verify` accepts a response file, the header, the JWS and JSON, with the host’s key',
    ),
    testedBy(
      'tests/client/pendingCalls.test.ts',
      'behavior: --resume without an id takes the latest payment of the command and the request',
    ),
  ],
  'client/README.md: { "url": "https://truefill.example", "ch': json(),
  'client/README.md: {': mcpHost,

  '/: A quote for selling 2.5 WETH for USDC on Base': exchange,
  '/reference: curl': curl(answered),
  '/reference: TypeScript (REST)': program(answered),
  '/reference: TypeScript (tRPC)': program(answered),
  '/reference: Python': python,
  '/reference: Go': go,
  '/reference: 200: an example': json(),
  '/reference: curl (2)': curl(verdict),
  '/reference: TypeScript (REST) (2)': program(verdict),
  '/reference: TypeScript (tRPC) (2)': program(verdict),
  '/reference: Python (2)': python,
  '/reference: Go (2)': go,
  '/reference: 200: an example (2)': json(),
  '/reference: An example request: a quote, and how to execute it': json(),
  '/reference: 200: an example (3)': json(),
  '/reference: PAYMENT-REQUIRED, decoded': json(),
  '/reference: PAYMENT-SIGNATURE, decoded': json(),
  '/reference: PAYMENT-RESPONSE, decoded': json(),

  '/guides/first-call: The wallet': shell(/^0x[0-9a-f]{64}$/, { after: 'printf %s "$TRUEFILL_KEY"' }),
  '/guides/first-call: curl': curl(answered),
  '/guides/first-call: TypeScript (REST)': program(answered),
  '/guides/first-call: TypeScript (tRPC)': program(answered),
  '/guides/first-call: Python': python,
  '/guides/first-call: Go': go,
  '/guides/first-call: Command line': shell(/USDC for 1 WETH[\s\S]*None of the listed traps is proven/),
  '/guides/first-call: An unpaid POST': shell(/^HTTP\/1\.1 402 Payment Required/),
  '/guides/first-call: PAYMENT-REQUIRED, decoded and shortened': json('offer'),
  '/guides/first-call: What is signed': notRun('the EIP-712 types in words; the programs above sign them'),
  '/guides/first-call: PAYMENT-SIGNATURE, before base64': json('payment'),
  '/guides/first-call: The identical POST, with the signature': shell(/^HTTP\/1\.1 200 OK[\s\S]*"amountOut"/, {
    before: `SIGNED=$(curl -si http://127.0.0.1:4020/v1/quote -H 'content-type: application/json' -d '${quoteBody}' | truefill sign --sandbox)`,
  }),
  '/guides/first-call: PAYMENT-RESPONSE, decoded': json('receipt'),
  '/guides/first-call: Buys a quote on each chain, executes it, and prints the difference in wei': demo,
  '/guides/typescript: Build and install': packed,
  '/guides/typescript: A quote and a check': program(/^[1-9]\d+ high/),
  '/guides/typescript: One transaction, and the same legs on a node of your own': program(/^0n?\n$/, {
    before: `${withQuote}const [weth, usdc] = [tokenIn, tokenOut];\n`,
    after: 'console.log(difference);',
  }),
  '/guides/typescript: A quote over tRPC': [
    program(/^[1-9]\d+ high\n$/),
    testedBy('tests/client/package.test.ts', 'default: the tRPC example of the TypeScript guide compiles and runs'),
  ],
  '/guides/typescript: @x402/fetch': program(answered),
  '/guides/agents: A tool call, paid': program(answered),
  "/guides/agents: A host's configuration": mcpHost,
  '/guides/agents: Start here': shell(/^# truefill/),
  '/guides/quote: A quote': json(),
  '/guides/errors: The body of every error': json('error'),
  '/guides/run: Node 20.20 or newer, nothing else': start,
  '/guides/run: The minimum': configuration,
  '/guides/run: Live mode on local chains': testedBy(
    'tests/ops/chains.test.ts',
    'a live service starts with the output of --mainnet-usdc and accepts a payment',
  ),
  '/guides/run: A server block of nginx': testedBy(
    'tests/peers/nginx.test.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the title as the test file has it
    'with ${name} passes purchases, refused payments and every page',
  ),
  '/guides/run: Limits in nginx': testedBy(
    'tests/peers/nginx.test.ts',
    'the limits of the guide are valid, pass a few requests and refuse a flood with 429',
  ),
  '/guides/run: The same for Caddy (Caddyfile)': testedBy(
    'tests/peers/caddy.test.ts',
    'passes purchases, refused payments and every page',
  ),
  '/guides/run: Try it': [
    shell(/Unfinished/, { fill: [['npm run cluster:demo ', ': ']] }),
    notRun('cluster:demo starts a real PostgreSQL and four processes; tests/cluster has the same parts'),
  ],
  '/guides/run: The report writes nothing and may run beside the service': [
    shell(/payments/, { fill: [['npm run ledger -- report --from 2026-11-28 --reconcile', ':']] }),
    testedBy(
      'tests/payments/ledgerReport.test.ts',
      'the command reads while the service runs, and names a deleted payment and one without a transfer',
    ),
  ],
  '/guides/run: On your own machine': longProof,
};
