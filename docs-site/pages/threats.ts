/** One who attacks: what is tried, what holds, which tests show it, and what does not hold. */
export interface Threat {
  who: string;
  tries: string;
  holds: string;
  /** Files of the project whose tests show it. */
  shownBy: readonly string[];
  /** What an operator or a buyer has to live with. */
  left: string;
}

/** A statement without a test is a hope, so each names its tests; a test holds that they are there. */
export const threats: readonly Threat[] = [
  {
    who: 'A payer who wants answers for nothing',
    tries:
      'Sends a payment again, for another question, to many replicas at once, with letters, headers or signatures changed; cancels, spends or outruns it; signs more than the wallet holds; submits the payment itself and requests two answers; finds an unprotected spelling of a path; takes many free calls.',
    holds:
      'A payment is known by what can move money once, and bound to one question. It settles before the engine runs. An authorization settled in a transaction of a third party buys one answer, if the chain shows exactly this payer, amount and recipient. On Solana a closed list of instructions is signed: compute limit and price, the transfer, memos, and wallet guards on accounts of the payer; compute, priority fee and signatures are limited. Only the exact documented paths are sold, and the procedure itself refuses to run without a ticket for its very input. A free call is one atomic row for each wallet, for ever. Gas is spent only where the payment can cover it: amounts in flight are reserved, gas must cost less than the call, failures pause a wallet, and contract wallets are simulated in future blocks and share one gas budget.',
    shownBy: [
      'tests/payments/refusals.test.ts',
      'tests/payments/whileItWaits.test.ts',
      'tests/payments/contractWallets.test.ts',
      'tests/payments/attackers.test.ts',
      'tests/payments/gasCap.test.ts',
      'tests/payments/crowd.test.ts',
      'tests/payments/trial.test.ts',
      'tests/payments/solanaHostile.test.ts',
      'tests/payments/usedAuthorization.test.ts',
      'tests/surfaces/paths.test.ts',
      'tests/surfaces/door.test.ts',
    ],
    left: 'Deployments with one payTo and separate databases, and a database restored from a backup, each answer a payment once until it ends (validBefore, or the blockhash on Solana): give each deployment a payTo of its own, or one database. Wallets cost nothing to make, so one person with many wallets has many free calls; FREE_TRIAL_GROUPS=none ends that. A wallet emptied between simulation and block costs the service the gas of each payment that was in flight, and is then paused. There is no limit on how many such wallets an attacker can fund and empty.',
  },
  {
    who: 'A crowd that wants the service down',
    tries:
      'Floods, huge and slow bodies, endless names and headers, questions that cost much to answer, connections that say nothing or do not listen.',
    holds:
      'Limits by address and by wallet come before body and chain; each message of an MCP batch counts; bodies end at 16 KiB; a 402 asks neither chain nor store. What does not arrive in time, and a connection on which nothing moves, is cut. Work for a question is bounded in gas, bytes and time, and many who ask the same cause one read.',
    shownBy: [
      'tests/surfaces/limits.test.ts',
      'tests/surfaces/rest.test.ts',
      'tests/transport/oneRead.test.ts',
      'tests/mcp/odd.test.ts',
      'server/http/openServer.test.ts',
      'tests/fuzz/http/found.test.ts',
    ],
    left: 'A flood from many addresses has to be stopped in front of the service. With TRUSTED_PROXIES set wrong all callers look like one, or choose who they are.',
  },
  {
    who: 'A token',
    tries:
      'Lies to whoever seems to look, burns gas, returns megabytes, reenters, forges a fill, taxes only sales, opens only for some, is named after a script or a terminal command.',
    holds:
      'Each swap runs in a frame of its own with bounded gas and bytes, and its result is marked with a word that the token cannot know. Trades are simulated as those of an ordinary wallet and held against executed ones to the wei: seller and router are new addresses in each call, the seller holds just the size and pays by <code>transferFrom</code>, gas price and base fee have realistic values. Code that looks for simulations can still see more gas than a swap needs, and the bytes of the router’s code. Names lose what steers or hides, and are text wherever they are shown.',
    shownBy: [
      'tests/engine/hostile.test.ts',
      'tests/engine/taxes.test.ts',
      'tests/pretrade/zoo.test.ts',
      'tests/pretrade/execution.test.ts',
      'engine/pretrade/context/identity.test.ts',
      'tests/client/commandLine.test.ts',
    ],
    left: 'An answer is about one block. Whoever can change a token can do so in the next one; owner powers are listed, not foreseen.',
  },
  {
    who: 'A pool, or its hook',
    tries: 'Promises what it does not pay, refuses after the quote, shows depth that cannot be reached.',
    holds:
      'A fill counts when it was executed at the block; a pool that takes a part is never quoted as if it took all; the exit pot counts what simulated sales draw.',
    shownBy: ['tests/engine/hostile.test.ts', 'tests/engine/executedToTheWei.test.ts', 'tests/pretrade/zoo.test.ts'],
    left: 'A hook may act otherwise towards another sender or in a later block. Such pools are flagged HOOKED_POOL.',
  },
  {
    who: 'A vendor of market or holder data',
    tries: 'Lies, floods, trickles, hangs, sends us elsewhere, repeats the key that it was shown.',
    holds:
      'No verdict rests on a vendor or waits for one. Balances and supply are read from the chain; a list of holders or an age that the chain contradicts counts as unread. Sizes, times and schemas bound every answer; redirects are not followed, and no address in an answer is ever called.',
    shownBy: [
      'tests/pretrade-outages/lies.test.ts',
      'tests/pretrade-outages/vendors.test.ts',
      'server/vendors/vendorFaults.test.ts',
      'tests/secrecy/canaries.test.ts',
    ],
    left: 'Market numbers are republished as they are, and say whose they are.',
  },
  {
    who: 'An RPC node',
    tries: 'Is down, slow or behind, serves another chain, mixes blocks, invents headers, repeats its key in errors.',
    holds:
      'Nodes are ranked by what was measured, rest after failing, and are asked for their chain. Each read carries its header, whose hash must be that of its fields; all reads of an answer are of one block. A dead node is never a verdict: unknown, or 503 before the charge. Before money moves a node names its network in the same request. On Solana a node simulates the transaction without our signature, so it cannot broadcast it. A payment is bound to its request before a node sees it, so a third party that submits it gains no answer.',
    shownBy: [
      'tests/transport/faults.test.ts',
      'tests/transport/realServer.test.ts',
      'tests/pretrade-outages/rpc.test.ts',
      'tests/payments/lyingNode.test.ts',
      'tests/payments/usedAuthorization.test.ts',
      'tests/payments/solanaLanded.test.ts',
      'tests/secrecy/canaries.test.ts',
    ],
    left: 'State is not proven against the header: a node that lies about balances and reserves under a true header is believed, and one that forges the receipt of a payment, or its use by a third party, gives an answer away. While every node refuses logs, a payment that a third party submitted stays 503 until it expires. Use nodes that you have a reason to trust.',
  },
  {
    who: 'A remote facilitator',
    tries:
      'Claims settlements that are none, refuses what it has settled, hangs, repeats the credentials that it was shown.',
    holds:
      'What it denies or leaves open the chain decides, read through our own RPC. On EVM networks what it calls settled is looked for afterwards, and asked for again when the chain has none of it. What it refused and settles later becomes a credit by itself. Its words reach clients only as error codes of the protocol.',
    shownBy: ['tests/payments/remote.test.ts', 'tests/payments/remoteSolana.test.ts', 'tests/secrecy/canaries.test.ts'],
    left: 'It can refuse to settle, and it sees who pays. A settlement that it claims is served before the chain is looked at. One that settles what it was only asked to verify takes money for which there is no credit.',
  },
  {
    who: 'A reader of logs, metrics and traces',
    tries: 'Looks for keys, URLs and signatures, or steers the terminal in which the log is read.',
    holds:
      'Every secret of the configuration is hidden in every line, crashes included, in each form it may take. Requests are logged without headers, queries and bodies. Metrics and traces hold words of ours only, however callers behave; control characters are escaped.',
    shownBy: [
      'tests/secrecy/canaries.test.ts',
      'server/observability/redaction/secretsOfConfig.test.ts',
      'server/observability/redaction/createRedactor.test.ts',
      'server/observability/createLogger.test.ts',
      'tests/deployments/commandLine.test.ts',
      'server/observability/metrics/createMetrics.test.ts',
    ],
    left: 'Payers and transactions are named in the log; both are public on chain. Secrets of fewer than eight characters are not hidden. The metrics port asks nobody who they are, so it listens on the loopback unless told otherwise.',
  },
  {
    who: 'A replica that is dead, slow or wrong',
    tries: 'Dies between two steps, comes back from a long pause, settles what another one settles.',
    holds:
      'A payment has one holder; the steps of one that lost its claim are refused; what a dead one held is taken up by others and decided by the chain. The turn at a settling key ends for whoever is silent for 30 s.',
    shownBy: [
      'tests/cluster/cluster.test.ts',
      'tests/payments/crash.test.ts',
      'tests/chaos/chaos.test.ts',
      'tests/storage/ledger.contract.test.ts',
      'tests/storage/stores.contract.test.ts',
    ],
    left: 'Whoever can write to the database can give answers away and read them. Its connection is encrypted only if DATABASE_URL says so (sslmode=verify-full).',
  },
  {
    who: 'A page that somebody made a visitor open',
    tries:
      'Frames the documentation, puts markup into an answer, loads scripts from elsewhere, falls back to plain HTTP.',
    holds:
      'Strings become text, never markup. The policy of every page allows scripts of this origin alone and no frame; contents are not guessed at; behind TLS browsers are told to stay there. There are no cookies.',
    shownBy: ['tests/browser/pages.test.ts', 'tests/surfaces/headers.test.ts'],
    left: 'Any page may call the service from a browser: whoever signs there pays for it.',
  },
  {
    who: 'The supply chain',
    tries: 'Publishes a bad version, moves a package to another source, runs a script at installation.',
    holds:
      'Every package is of one version with its SHA-512, from a registry; install scripts are off, and new ones stop the build, as do unknown licences in production.',
    shownBy: ['scripts/audit/auditLock.test.ts'],
    left: 'A version that was bad when we pinned it stays bad. npm audit, run with a network, says what has become known since.',
  },
  {
    who: 'Whoever reads the environment of the process',
    tries: 'Takes the settling keys.',
    holds: 'They hold gas, never USDC, and can only move what a payer has signed for the payee.',
    shownBy: ['tests/payments/happyPath.test.ts'],
    left: 'The gas is gone then, and with it the sales until a new key is funded. Keep little on it.',
  },
];
