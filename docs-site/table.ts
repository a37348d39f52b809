import { html, Markup, withCode } from './html.ts';

/** Text between backticks is set as code. */
type Cell = Markup | string | number | undefined;

/** Numbers are aligned, with separators of thousands. An `id` makes a row a target of links. */
export interface Row {
  id?: string;
  cells: readonly Cell[];
}

interface TableOptions {
  /** Instead of the headings, for screen readers. */
  label?: string;
  /** Whether a phone shows each row as a block. Not for tables of numbers. */
  stack?: boolean;
}

/** A table that scrolls in its own region. */
export function table(heads: readonly (Markup | string)[], rows: readonly Row[], options: TableOptions = {}): Markup {
  const plain = heads.map((head) => html`${head}`.text.replaceAll(/<[^>]+>/g, ''));
  const { label = new Markup(plain.join(', ')), stack = true } = options;
  const cell = (value: Cell, column: number) => {
    // On a phone each cell shows the heading of its column.
    const head = stack && plain[column] ? html` data-head="${new Markup(plain[column])}"` : '';
    return typeof value === 'number'
      ? html`<td class="num"${head}>${value.toLocaleString('en')}</td>`
      : html`<td${head}>${typeof value === 'string' ? withCode(value) : value}</td>`;
  };
  const isNumeric = (column: number) => rows.length > 0 && rows.every(({ cells }) => typeof cells[column] === 'number');
  return html`<div class="scroll${stack && ' stack'}" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads.map((head, column) => html`<th${isNumeric(column) && html` class="num"`}>${head}</th>`)}</tr></thead><tbody>
${rows.map(({ id, cells }) => html`<tr${id !== undefined && html` id="${id}"`}>${cells.map(cell)}</tr>\n`)}</tbody></table></div>
`;
}
