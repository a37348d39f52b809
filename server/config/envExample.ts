import { variables } from './variables.ts';

/** The variables of a typical live service, which the example leaves uncommented. */
const active = ['PUBLIC_URL', 'RPC_URL_BASE', 'PAY_TO_EVM', 'FACILITATOR_KEY_EVM'];

/** The text of `ops/truefill.env.example`: every variable with its description and default. */
export function envExample(): string {
  const sections = [...new Set(variables.map(({ section }) => section))];
  const head = [
    '# Environment of a live service. Generated from the configuration schema by `npm run env:example`.',
    '# Your copy contains keys: chmod 600.',
  ];
  const blocks = sections.map((section) => [
    '',
    `# --- ${section} ---`,
    ...variables
      .filter((variable) => variable.section === section)
      .flatMap(({ name, description, defaultValue = '' }) => [
        `# ${description}`,
        `${active.includes(name) ? '' : '#'}${name}=${defaultValue}`,
      ]),
  ]);
  return `${[...head, ...blocks.flat()].join('\n')}\n`;
}
