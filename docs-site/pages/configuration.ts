import { html } from '../html.ts';
import type { Page } from '../layout.ts';
import type { SiteFacts } from '../siteFacts.ts';

/** Every environment variable, from the service's own schema. */
export function configuration({ variables }: SiteFacts): Page {
  const sections = [...new Set(variables.map(({ section }) => section))];
  return {
    path: '/guides/configuration',
    title: 'Configuration',
    about: 'Every environment variable of a truefill service, with its meaning and default.',
    body: html`
<h1>Configuration</h1>
<p class="lead">The service reads environment variables only. Without any it starts the sandbox. Any RPC URL starts live mode.</p>
<p>A service with a wrong configuration does not start: one message lists every fault. A misspelt variable is a fault too: a name of at least eight letters within two edits of a variable, or an unknown name with a prefix such as <code>RATE_LIMIT</code>. Names that container platforms set are ignored. <code>ops/truefill.env.example</code> has all variables as an environment file.</p>
${sections.map(
  (section) => html`<h2>${section}</h2>
<div class="scroll stack" tabindex="0" role="region" aria-label="Variables: ${section}"><table><thead><tr><th>Variable</th><th>Default</th><th>Meaning</th></tr></thead><tbody>
${variables
  .filter((variable) => variable.section === section)
  .map(
    ({ name, defaultValue, description }) =>
      html`<tr><td><code>${name}</code></td><td>${defaultValue !== undefined && html`<code>${defaultValue}</code>`}</td><td>${description}</td></tr>`,
  )}
</tbody></table></div>
`,
)}`,
  };
}
