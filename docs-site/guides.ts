/** The guides in reading order. Each is `guides/<last part of the path>.md`; `about` is a sentence for search engines. */
export const guides = [
  {
    path: '/guides/first-call',
    name: 'First call',
    group: 'Start',
    title: 'Your first call to truefill',
    about: 'A paid quote with curl, step by step, each x402 header decoded.',
  },
  {
    path: '/guides/typescript',
    name: 'TypeScript',
    group: 'Start',
    title: 'truefill from TypeScript',
    about: 'The typed client that pays for each call, typed tRPC, and the same with the published x402 packages.',
  },
  {
    path: '/guides/agents',
    name: 'Agents',
    group: 'Start',
    title: 'truefill for agents',
    about: 'Discovery, prices and payment for autonomous agents.',
  },
  {
    path: '/guides/quote',
    name: 'Reading a quote',
    group: 'Answers',
    title: 'Reading a quote',
    about: 'What each number of a truefill quote means, how it was measured, and how far to rely on it.',
  },
  {
    path: '/guides/verdict',
    name: 'Reading a verdict',
    group: 'Answers',
    title: 'Reading a verdict',
    about: 'What avoid and clear mean, the three traps, and the facts that never change a verdict.',
  },
  {
    path: '/guides/errors',
    name: 'Errors and retries',
    group: 'Answers',
    title: 'Errors and retries',
    about: 'Every error of truefill, whether it was charged, and the one rule for retries.',
  },
  {
    path: '/guides/run',
    name: 'Running your own',
    group: 'Operate',
    title: 'Running your own truefill',
    about: 'Start the sandbox with one command, and run a live service with replicas, metrics and backups.',
  },
  {
    path: '/guides/configuration',
    name: 'Configuration',
    group: 'Operate',
    title: 'Configuration',
    about: 'Every environment variable of a truefill service, with its meaning and default.',
  },
  {
    path: '/guides/threats',
    name: 'Threat model',
    group: 'Operate',
    title: 'Threat model',
    about: 'Attacks on truefill, the defences and their tests, and the remaining risks.',
  },
  {
    path: '/guides/capacity',
    name: 'Capacity',
    group: 'Operate',
    title: 'Capacity',
    about:
      'How many calls one core, one database and one RPC plan serve, and what changes at 10, 1,000 and 100,000 calls a second.',
  },
] as const;

export const guideGroups = [...new Set(guides.map(({ group }) => group))].map((group) => ({
  group,
  guides: guides.filter((guide) => guide.group === group),
}));
