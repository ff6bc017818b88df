import { Button, CloseButton, Group, Menu, TextInput } from '@mantine/core';
import { Bookmark, ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { RunFilter } from '../../api/run-filter.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notice-board.ts';
import { i18n } from '../../language/i18n.ts';
import { MAX_VIEWS, useSavedViews, withView } from './saved-views.ts';

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
  const [views, keep] = useSavedViews(listId);
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
              <CloseButton
                size="sm"
                aria-label={i18n.t('Delete the view {name}', { name: view.name })}
                onClick={() => keep(views.filter((each) => each !== view))}
              />
            </Group>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item disabled={!isFiltered || views.length >= MAX_VIEWS} onClick={() => setSaving(true)}>
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
          onClose={() => setSaving(false)}
        >
          {({ text }) => (
            <TextInput
              label={i18n.t('Name')}
              description={i18n.t('The filters are saved in this browser')}
              required
              maxLength={100}
              data-autofocus
              {...text('name')}
            />
          )}
        </FormDialog>
      )}
    </>
  );
}
