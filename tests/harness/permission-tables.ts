import { type Permission, PERMISSIONS, roleMay, ROLES } from '@deckhand/contracts';
import { cell, code } from './schema-text.ts';

/** Returns the page about roles with its table, which says for each permission who has it. */
export function permissionsPage(page: string): string {
  const head = ['permission', ...ROLES.map(code), 'allows to'];
  const rows = Object.entries(PERMISSIONS).map(([name, text]) => [
    code(name),
    ...ROLES.map((role) => (isPermission(name) && roleMay(role, name) ? 'yes' : '–')),
    text,
  ]);
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
  return page.replace(/(?:^\| permission .*\n)(?:^\|.*\n)*/m, `${table}\n`);
}

function isPermission(name: string): name is Permission {
  return Object.hasOwn(PERMISSIONS, name);
}
