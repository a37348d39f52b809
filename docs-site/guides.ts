/** The guides in reading order. */
export const guides = [
  { path: '/guides/first-call', name: 'First call', group: 'Start' },
  { path: '/guides/typescript', name: 'TypeScript', group: 'Start' },
  { path: '/guides/agents', name: 'Agents', group: 'Start' },
  { path: '/guides/quote', name: 'Reading a quote', group: 'Answers' },
  { path: '/guides/verdict', name: 'Reading a verdict', group: 'Answers' },
  { path: '/guides/errors', name: 'Errors and retries', group: 'Answers' },
  { path: '/guides/run', name: 'Running your own', group: 'Operate' },
  { path: '/guides/configuration', name: 'Configuration', group: 'Operate' },
  { path: '/guides/threats', name: 'Threat model', group: 'Operate' },
  { path: '/guides/capacity', name: 'Capacity', group: 'Operate' },
] as const;

export const guideGroups = [...new Set(guides.map(({ group }) => group))].map((group) => ({
  group,
  guides: guides.filter((guide) => guide.group === group),
}));
