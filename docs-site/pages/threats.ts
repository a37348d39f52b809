/** An attacker with the attacks, the defences, their tests, and the remaining risk. */
export interface Threat {
  who: string;
  tries: string;
  holds: string;
  /** Test files of the defences. */
  shownBy: readonly string[];
  /** The remaining risk for an operator or a buyer. */
  left: string;
}

/** Each entry names its tests; a test checks that these files exist. */
export const threats: readonly Threat[] = [
  {
    who: 'A payer who tries to get answers without paying',
    tries:
      'Sends a payment again, for another request, to many replicas at once, or with a changed letter case, header or signature. Cancels it, or spends the funds first. Signs more than the wallet holds. Submits the payment itself and requests two answers. Looks for an unprotected spelling of a path. Takes many free calls.',
    holds:
      'A payment is identified by the authorization that can move money once, and bound to one request. It settles before the engine runs. An authorization settled in a transaction of a third party buys one answer, if the chain shows exactly this payer, amount and recipient. On Solana only listed instructions are signed: compute limit and price, the transfer, memos, and wallet guards on accounts of the payer; compute, priority fee and signatures are limited. Only the exact documented paths are sold, and the procedure itself refuses to run without a ticket for its exact input. A free call is one atomic row for each wallet, for ever. Gas is spent only where the payment can cover it: amounts in flight are reserved, gas must cost less than the call, failures pause a wallet, and contract wallets are simulated in future blocks and share one gas budget. A wallet may have as many payments in flight as it has settled since its last failure on chain, plus one; further ones wait for these.',
    shownBy: [
      'tests/payments/refusals.test.ts',
      'tests/payments/duringSettlement.test.ts',
      'tests/payments/contractWallets.test.ts',
      'tests/payments/attackers.test.ts',
      'tests/payments/gasCap.test.ts',
      'tests/payments/manyCalls.test.ts',
      'tests/payments/trial.test.ts',
      'tests/payments/solanaHostile.test.ts',
      'tests/payments/usedAuthorization.test.ts',
      'tests/surfaces/paths.test.ts',
      'tests/surfaces/ticket.test.ts',
    ],
    left: 'Deployments with one payTo and separate databases, and a database restored from a backup, each answer a payment once until it ends (validBefore, or the blockhash on Solana): give each deployment a payTo of its own, or one database. Wallets cost nothing to make, so one person with many wallets has many free calls. FREE_TRIALS_PER_IP limits them, and FREE_TRIAL_GROUPS=none turns them off. Payments settle in groups: a wallet that is emptied between simulation and block, or delegates to code that burns gas (EIP-7702), fails alone and costs the service the gas of its own calls in that group, at most 75,000 each. The wallet is then paused, and had at most one payment more in flight than it had paid for. There is no limit on how many such wallets an attacker can fund and empty; each costs the attacker about 100,000 gas.',
  },
  {
    who: 'A flood of requests',
    tries:
      'Floods, huge and slow bodies, long names and headers, expensive requests, connections that send nothing or do not read.',
    holds:
      'Limits by address come before body and chain, those of a wallet before the settlement; open connections of each address are limited; each message of an MCP batch counts; bodies end at 16 KiB; a 402 reads neither chain nor store. Slow requests and idle connections are closed. Work for a request is bounded in gas, bytes and time, and concurrent equal requests share one read.',
    shownBy: [
      'tests/surfaces/limits.test.ts',
      'tests/surfaces/rest.test.ts',
      'tests/transport/oneRead.test.ts',
      'tests/mcp/unusualRequests.test.ts',
      'server/http/openServer.test.ts',
      'server/http/limits/connectionLimit.test.ts',
      'server/http/limits/signedLimit.test.ts',
      'tests/surfaces/signedCalls.test.ts',
      'tests/fuzz/http/regressions.test.ts',
    ],
    left: 'A flood from many addresses has to be stopped in front of the service. With a wrong TRUSTED_PROXIES all clients share one address, or choose their address.',
  },
  {
    who: 'A token',
    tries:
      'Detects simulations and behaves differently, burns gas, returns megabytes, reenters, forges a fill, taxes only sales, allows only some wallets to trade, has a script or a terminal command as its name.',
    holds:
      'Each swap runs in a frame of its own with bounded gas and bytes, and its result is marked with a random salt that the token cannot know. Trades are simulated as those of an ordinary wallet; tests compare them with executed trades to the wei. Sellers are new addresses in each call; gas price and base fee have realistic values. In a quote the router is a new address too, and the seller holds exactly the size and pays by transferFrom. In a check the router has the address of the venue’s real router. Code that looks for simulations can still see more gas than a swap needs, and the bytes of the router’s code. Control and invisible characters are removed from names, and names are always rendered as text.',
    shownBy: [
      'tests/engine/hostile.test.ts',
      'tests/engine/taxes.test.ts',
      'tests/pretrade/testTokens.test.ts',
      'tests/pretrade/execution.test.ts',
      'engine/pretrade/context/identity.test.ts',
      'tests/client/commandLine.test.ts',
    ],
    left: 'An answer is about one block. An owner can change a token in the next one; the check lists owner powers but does not predict their use.',
  },
  {
    who: 'A pool, or its hook',
    tries: 'Reports a better price than it pays, refuses after the quote, reports depth that cannot be reached.',
    holds:
      'An answer is the result of an execution at the block, never what a pool reports. A pool whose execution contradicts its state is excluded. A pool that takes only a part is never quoted for the whole. Exit liquidity counts what simulated sales draw.',
    shownBy: [
      'tests/engine/hostile.test.ts',
      'tests/engine/executedToTheWei.test.ts',
      'tests/pretrade/testTokens.test.ts',
    ],
    left: 'A hook may treat another sender or a later block differently. Such pools are flagged HOOKED_POOL.',
  },
  {
    who: 'A vendor of market or holder data',
    tries:
      'Returns false data, lists pools that do not exist or that an attacker made, floods, trickles, hangs, redirects, repeats our API key in a response.',
    holds:
      'No verdict depends on a vendor or waits for one. Balances and supply are read from the chain; a list of holders or an age that the chain contradicts counts as unread. Sizes, times and schemas bound every answer; redirects are not followed. A listed pool counts only if its factory returns it, or if its id is the hash of the key that the position manager returns; at most 20 are tried. It never raises confidence or a trigger, and never makes a check conclusive.',
    shownBy: [
      'tests/pretrade-outages/falseVendorData.test.ts',
      'tests/pretrade-outages/vendors.test.ts',
      'server/vendors/vendorFaults.test.ts',
      'tests/engine/poolHints.test.ts',
      'tests/pretrade/poolHints.test.ts',
      'tests/secrecy/canaries.test.ts',
    ],
    left: 'Market numbers are republished unchanged, with their source. While logs are refused, a vendor sees the tokens that are asked about, and can leave out a pool.',
  },
  {
    who: 'An RPC node',
    tries: 'Is down, slow or behind, serves another chain, mixes blocks, forges headers, repeats its key in errors.',
    holds:
      'Nodes are ranked by measured latency and failures, a circuit breaker pauses failing ones, and each must return the right chain id. Each read includes its header, whose hash must match its fields; all reads of an answer are of one block. An outage never becomes a verdict: the value is unknown, or the response is 503 before the charge. Reads that decide on a payment include the chain id in the same request. On Solana a node simulates the transaction without our signature, so it cannot broadcast it. A payment is bound to its request before a node sees it, so a third party that submits it gains no answer.',
    shownBy: [
      'tests/transport/faults.test.ts',
      'tests/transport/realServer.test.ts',
      'tests/pretrade-outages/rpc.test.ts',
      'tests/payments/wrongNodeReplies.test.ts',
      'tests/payments/usedAuthorization.test.ts',
      'tests/payments/solanaLanded.test.ts',
      'tests/secrecy/canaries.test.ts',
    ],
    left: 'State is not proven against the header: a node that lies about balances and reserves under a true header is believed, and one that forges the receipt of a payment, or its use by a third party, gives an answer away. While every node refuses logs, a payment that a third party submitted stays 503 until it expires. Use nodes that you trust.',
  },
  {
    who: 'A remote facilitator',
    tries:
      'Claims settlements that did not happen, denies those that did, hangs, repeats our credentials in a response.',
    holds:
      'If it denies a settlement or leaves it open, the service reads the chain through its own RPC. On EVM networks a claimed settlement is checked afterwards, and requested again if the chain does not have it. A payment that it refused and settles later becomes a credit. Clients see only error codes of the protocol.',
    shownBy: ['tests/payments/remote.test.ts', 'tests/payments/remoteSolana.test.ts', 'tests/secrecy/canaries.test.ts'],
    left: 'It can refuse to settle, and it sees who pays. An answer is served on its claim, before the chain is read. If it settles a payment during verification, money moves without a credit.',
  },
  {
    who: 'A reader of logs, metrics and traces',
    tries: 'Looks for keys, URLs and signatures, or sends control sequences to the terminal that shows the log.',
    holds:
      'Every secret of the configuration is redacted in every line, including crashes, in each of its encodings. Requests are logged without headers, queries and bodies. Labels of metrics and traces contain no client input. Control characters are escaped. A DATABASE_URL whose password contains an unescaped @ or / is refused, because a part of it would be read as the host.',
    shownBy: [
      'tests/secrecy/canaries.test.ts',
      'server/observability/redaction/secretsOfConfig.test.ts',
      'server/observability/redaction/createRedactor.test.ts',
      'server/observability/createLogger.test.ts',
      'tests/deployments/commandLine.test.ts',
      'tests/fuzz/databasePassword.test.ts',
      'server/observability/metrics/createMetrics.test.ts',
    ],
    left: 'Payers and transactions are named in the log; both are public on chain. Secrets of fewer than eight characters are not redacted. The metrics port has no authentication, so it binds to 127.0.0.1 by default.',
  },
  {
    who: 'A replica that is dead, slow or wrong',
    tries: 'Dies between two steps, comes back from a long pause, settles what another one settles.',
    holds:
      'One replica owns the lease of a payment, and the ledger rejects steps of a former owner. Other replicas recover the payments of a dead one by reading the chain. The journal assigns nonces in the database transaction that records the signed bytes; another replica broadcasts journaled bytes that are missing at its node.',
    shownBy: [
      'tests/cluster/cluster.test.ts',
      'tests/payments/crash.test.ts',
      'tests/chaos/chaos.test.ts',
      'tests/storage/ledger.contract.test.ts',
      'tests/storage/stores.contract.test.ts',
    ],
    left: 'Write access to the database allows giving answers away and reading them. The connection is encrypted only if DATABASE_URL contains sslmode=verify-full. A replica that hangs between journal and broadcast delays later nonces until another replica broadcasts its transaction.',
  },
  {
    who: 'A malicious web page',
    tries:
      'Frames the documentation, injects markup through an answer, loads foreign scripts, downgrades to plain HTTP.',
    holds:
      'Strings are rendered as text, never as markup. The Content-Security-Policy of every page allows scripts of this origin only and no frames; nosniff is set, and HSTS behind TLS. There are no cookies.',
    shownBy: ['tests/browser/pages.test.ts', 'tests/surfaces/headers.test.ts'],
    left: 'Any page may call the service from a browser; the wallet that signs there pays.',
  },
  {
    who: 'The supply chain',
    tries: 'Publishes a bad version, moves a package to another source, runs a script at installation.',
    holds:
      'Every package is pinned to one version and its SHA-512, from a registry. Install scripts are off. A new install script, or an unknown licence in production, fails the build.',
    shownBy: ['tools/release/auditLock.test.ts'],
    left: 'A version that was malicious when it was pinned stays so. Run npm audit with a network for later advisories.',
  },
  {
    who: 'A reader of the process environment',
    tries: 'Takes the settlement keys.',
    holds: 'They hold gas, never USDC, and can only submit transfers that a payer signed for the payee.',
    shownBy: ['tests/payments/paidOnce.test.ts'],
    left: 'The gas can be stolen, and paid calls stop until a new key is funded. Keep little on it.',
  },
];
