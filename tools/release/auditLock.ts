import { developmentLicences, knownScripts, productionLicences, reviewedLicences } from './lockRules.ts';

export interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

interface Locked {
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
}

export interface Lock {
  lockfileVersion: number;
  packages: Record<string, Locked & Manifest>;
}

const exact = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/;

/**
 * Returns one sentence for each violation of lockRules.ts in the lockfile. Uses no network: `npm audit` reports known
 * vulnerabilities.
 */
export function auditLock(manifest: Manifest, lock: Lock, npmrc: string): string[] {
  const { '': root, ...packages } = lock.packages;
  const wanted = { ...manifest.dependencies, ...manifest.devDependencies };
  const locked = { ...root?.dependencies, ...root?.devDependencies };
  return [
    ...(lock.lockfileVersion === 3 ? [] : [`package-lock.json has lockfileVersion ${lock.lockfileVersion}, not 3.`]),
    ...(/^ignore-scripts=true$/m.test(npmrc) ? [] : ['.npmrc lacks ignore-scripts=true. Add that line.']),
    ...Object.entries(wanted).flatMap(([name, version]) => [
      ...(exact.test(version) ? [] : [`package.json requires ${name} ${version}, which is not an exact version.`]),
      ...(locked[name] === version
        ? []
        : [`package.json requires ${name} ${version}, but ${locked[name] ?? 'no version'} is locked.`]),
    ]),
    ...Object.keys(locked).flatMap((name) =>
      name in wanted ? [] : [`${name} is locked, but package.json does not require it.`],
    ),
    ...Object.entries(packages).flatMap(([path, entry]) => packageFaults(path, entry)),
    ...staleRules(packages),
  ];
}

/** `node_modules/a/node_modules/@b/c` is `@b/c`. */
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

function packageFaults(path: string, entry: Locked): string[] {
  const name = nameOf(path);
  const { version = '', resolved, integrity = '', license = '', dev = false, link = false } = entry;
  const allowed = dev ? developmentLicences : productionLicences;
  const isReviewed = reviewedLicences[name] === license;
  return [
    ...(link || !path.startsWith('node_modules/') ? [`${path} is a link or lies outside node_modules.`] : []),
    ...(exact.test(version) ? [] : [`${path} has no exact version.`]),
    ...(/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity) ? [] : [`${path} has no SHA-512 integrity.`]),
    ...(resolved === undefined || /^https:\/\/[^/]+\/.*\.tgz$/.test(resolved)
      ? []
      : [`${path} is resolved from ${resolved}, not an HTTPS tarball.`]),
    ...(allowed.includes(license) || (dev && isReviewed)
      ? []
      : [`${path} is under "${license}", which is not allowed ${dev ? 'for development' : 'in production'}.`]),
    ...(entry.hasInstallScript && !(name in knownScripts)
      ? [`${path} has an install script that is not reviewed in lockRules.ts.`]
      : []),
  ];
}

/** A rule for a removed package would accept the package silently if it returned. */
function staleRules(packages: Record<string, Locked>): string[] {
  const names = new Set(Object.keys(packages).map(nameOf));
  return [...Object.keys(knownScripts), ...Object.keys(reviewedLicences)]
    .filter((name) => !names.has(name))
    .map((name) => `lockRules.ts has a rule for ${name}, which is not locked any more.`);
}
