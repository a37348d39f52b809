import { editDistance } from '../../router/editDistance/index.ts';

/** Variables of the client, which the service ignores. */
const clientVariables = ['TRUEFILL_KEY', 'TRUEFILL_RESUME', 'TRUEFILL_URL'];
/** The prefixes of this service's variables: an unknown variable with one of them is probably misspelt. */
const ownPrefixes =
  /^(TRUEFILL|RPC_URL(?!_)|RPC_BUDGET|PAY_TO|FACILITATOR|CDP_API_KEY|RATE_LIMIT|FREE_TRIAL|CONTRACT_WALLET_GAS|ANSWER_RETENTION|QUOTE_DEADLINE|FRESHNESS_MS|METRICS|RECEIPT_SIGNING|BLOCKSCOUT|ETHERSCAN|DEXSCREENER|GECKOTERMINAL|LOG_INDEX|LOG_SEARCH|POOL_INDEX|POOL_HINTS|VENDOR_TIMEOUT|TRUSTED_PROX)/;
/** Names that container platforms set; for a service named truefill, Kubernetes sets TRUEFILL_PORT and others. */
const platformNames = /_SERVICE_HOST$|_SERVICE_PORT|_PORT_|^(HOSTNAME|TRUEFILL_PORT)$/;

/** Kubernetes sets <SERVICE>_PORT of every service in the namespace, such as `truefill-db`, to a URL like this. */
const serviceUrl = /^(tcp|udp|sctp):\/\//;

const isOfPlatform = (name: string, value: string | undefined): boolean =>
  platformNames.test(name) || (name.endsWith('_PORT') && serviceUrl.test(value ?? ''));

/** Shorter names are too often within two edits of another program's variable. */
const minLength = 8;
const maxEdits = 2;

/**
 * Faults for unknown variables with one of the service's prefixes, or within two edits of one of its names.
 * @param known the names of all variables of the service
 */
export function unknownVariableFaults(
  environment: Record<string, string | undefined>,
  known: readonly string[],
): string[] {
  return Object.entries(environment)
    .filter(([name, value]) => !known.includes(name) && !clientVariables.includes(name) && !isOfPlatform(name, value))
    .flatMap(([name]) => {
      const { similar, edits } = findSimilar(name, known);
      const isNear = name.length >= minLength && edits <= maxEdits;
      if (!isNear && !ownPrefixes.test(name)) return [];
      const suggestion =
        isNear || edits <= name.length / 3
          ? `: did you mean ${similar}?`
          : ': unset it, or use a name of ops/truefill.env.example';
      return [`${name} is not a variable of truefill${suggestion}`];
    });
}

function findSimilar(name: string, known: readonly string[]): { similar: string; edits: number } {
  let best = { similar: '', edits: Number.POSITIVE_INFINITY };
  for (const similar of known) {
    const edits = editDistance(name, similar);
    if (edits < best.edits) best = { similar, edits };
  }
  return best;
}
