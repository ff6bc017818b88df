import { i18n } from '../language/i18n.ts';

/** A beginning of a script. */
interface Snippet {
  readonly label: string;
  readonly source: string;
}

/**
 * Returns snippets for scripts, in which people replace the names of the fields.
 * @param output the expression of a node's output that the script can read, such as `$nodes.order.output`
 */
export function snippetsFor(output: string): readonly Snippet[] {
  return [
    {
      label: i18n.t('Filter a list'),
      source: 'return $input.items.filter((item) => item.amount > 100);',
    },
    {
      label: i18n.t('Change each item of a list'),
      source: 'return $input.items.map((item) => ({ ...item, total: item.amount * item.price }));',
    },
    {
      label: i18n.t('Sum up by group'),
      source: `const sums = {};
for (const { group, amount } of $input.items) {
  sums[group] = (sums[group] ?? 0) + amount;
}
return sums;`,
    },
    {
      label: i18n.t('Read and format a date'),
      source: `const date = new Date($input.date);
if (Number.isNaN(date.getTime())) throw new Error(\`Not a date: \${$input.date}\`);
return { iso: date.toISOString(), day: date.toISOString().slice(0, 10) };`,
    },
    {
      label: i18n.t('Add the output of another node'),
      source: `const other = ${output};
return { ...$input, other };`,
    },
    {
      label: i18n.t('Fail the node on a condition'),
      source: `if ($input.items.length === 0) {
  throw new Error('The list is empty');
}
return $input;`,
    },
  ];
}
