import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { permissionsPage } from '../../../tests/harness/permission-tables.ts';
import { type Permission, PERMISSIONS, roleMay, rolesWith } from './permissions.ts';
import { type Role, ROLES } from './roles.ts';

/** The page, whose table UPDATE_DOCS=1 writes. */
const PAGE = new URL('../../../docs/roles.md', import.meta.url);

const ALL = Object.keys(PERMISSIONS).filter((name): name is Permission => Object.hasOwn(PERMISSIONS, name));
const permissionsOf = (role: Role): Permission[] => ALL.filter((permission) => roleMay(role, permission));

describe('permissions of roles', () => {
  it('are on the page as they are', () => {
    const text = permissionsPage(readFileSync(PAGE, 'utf8'));
    if (process.env.UPDATE_DOCS !== undefined) writeFileSync(PAGE, text);
    expect(readFileSync(PAGE, 'utf8')).toBe(text);
    expect(ALL.filter((permission) => !text.includes(`| \`${permission}\` |`))).toEqual([]);
  });

  it('of an owner are all', () => {
    expect(permissionsOf('owner')).toEqual(ALL);
  });

  it('of viewers, editors and admins are those of the contract', () => {
    const more = (role: Role, than: Role) => permissionsOf(role).filter((permission) => !roleMay(than, permission));
    expect(permissionsOf('viewer').filter((permission) => !/\.(see|read)$/.test(permission))).toEqual([]);
    expect(more('viewer', 'editor')).toEqual([]);
    expect(more('editor', 'viewer')).toEqual(
      expect.arrayContaining(['workflows.edit', 'workflows.publish', 'runs.delete', 'approvals.answer']),
    );
    expect(more('editor', 'admin')).toEqual([]);
    expect(more('admin', 'editor')).toEqual([
      'workspace.change',
      'members.manage',
      'credentials.manage',
      'events.manage',
    ]);
    expect(more('owner', 'admin')).toEqual(['workspace.delete', 'owners.manage']);
  });

  it('of the other roles are what they are for', () => {
    const more = (role: Role, than: Role) => permissionsOf(role).filter((permission) => !roleMay(than, permission));
    expect(permissionsOf('approver')).toEqual(['workspace.see', 'files.upload', 'approvals.read', 'approvals.answer']);
    expect(more('operator', 'viewer')).toEqual(['runs.start', 'runs.control', 'files.upload']);
    expect(more('publisher', 'operator')).toEqual(['workflows.publish']);
    expect(more('author', 'operator')).toEqual(['workflows.edit', 'runs.test']);
  });

  it('are never more than those of who grants the role', () => {
    for (const granter of rolesWith('members.manage')) {
      const granted = ROLES.filter((role) => role !== 'owner' || roleMay(granter, 'owners.manage'));
      const excess = granted.flatMap((role) => permissionsOf(role).filter((one) => !roleMay(granter, one)));
      expect(excess).toEqual([]);
    }
  });

  it('to change something come with those to see it', () => {
    const sees = (role: Role, permission: Permission, seen: Permission) =>
      !roleMay(role, permission) || roleMay(role, seen);
    for (const role of ROLES) {
      expect(roleMay(role, 'workspace.see')).toBe(true);
      expect(sees(role, 'approvals.answer', 'approvals.read')).toBe(true);
      for (const permission of ['runs.start', 'runs.control', 'runs.delete', 'files.share'] as const)
        expect(sees(role, permission, 'runs.read') && sees(role, permission, 'workflows.read')).toBe(true);
      for (const permission of ['workflows.edit', 'workflows.publish', 'variables.change', 'events.manage'] as const)
        expect(sees(role, permission, 'workflows.read')).toBe(true);
    }
  });

  it('of a role that is not known are none', () => {
    const later: Role = JSON.parse('"auditor"');
    expect(ALL.filter((permission) => roleMay(later, permission))).toEqual([]);
  });
});
