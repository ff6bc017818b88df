import { Button, Group, Menu, TextInput } from '@mantine/core';
import { Bookmark, ChevronDown, X } from 'lucide-react';
import { useState } from 'react';
import type { RunFilter } from '../../api/run-filter.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notice-board.ts';
import { i18n } from '../../language/i18n.ts';
import { hasRoomFor, MAX_VIEWS, useSavedViews, withView } from './saved-views.ts';

/** Shows the list with filters that were saved, and saves the present ones under a name, in this browser. */
export function ViewMenu({
  listId,
  filter,
  onChoose,
}: {
  /** A workspace or a workflow. */
  listId: string;
  filter: RunFilter;
  onChoose: (filter: RunFilter) => void;
}) {
  const { user } = useWorkspace();
  const [views, keep] = useSavedViews(user.id, listId);
  const [isSaving, setSaving] = useState(false);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<Bookmark size={16} aria-hidden />}
            rightSection={<ChevronDown size={16} aria-hidden />}
          >
            {i18n.t('Views')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.map((view) => (
            <Group key={view.name} gap={0} wrap="nowrap">
              <Menu.Item flex={1} onClick={() => onChoose(view.filter)}>
                {view.name}
              </Menu.Item>
              <Menu.Item
                w="auto"
                aria-label={i18n.t('Delete the view {name}', { name: view.name })}
                title={i18n.t('Delete the view {name}', { name: view.name })}
                onClick={() => keep(views.filter((each) => each !== view))}
              >
                <X size={14} aria-hidden />
              </Menu.Item>
            </Group>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item disabled={!isFiltered} onClick={() => setSaving(true)}>
            {i18n.t('Save this view…')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isSaving && (
        <FormDialog
          title={i18n.t('Save this view')}
          initial={{ name: '' }}
          submit={i18n.t('Save')}
          act={({ name }) => {
            if (!keep(withView(views, { name, filter }))) notify(i18n.t('This browser has no room for the view.'));
          }}
          canSubmit={({ name }) => hasRoomFor(views, name)}
          onClose={() => setSaving(false)}
        >
          {({ values: { name }, text }) => (
            <TextInput
              label={i18n.t('Name')}
              description={i18n.t('The filters are saved in this browser')}
              required
              maxLength={100}
              data-autofocus
              error={
                !hasRoomFor(views, name) &&
                i18n.t('This browser keeps {count} views of a list: choose the name of one, or delete one.', {
                  count: MAX_VIEWS,
                })
              }
              {...text('name')}
            />
          )}
        </FormDialog>
      )}
    </>
  );
}
