/** What further tools are that were drawn after the judging was finished; the letters are those of labels.ts. */
export const LATER: Readonly<Record<string, string>> = {
  '@softeria/ms-365-mcp-server@0.155.0':
    'get-drive-item:r list-drive-item-thumbnails:r list-channel-message-replies:r update-todo-task:w update-shared-mailbox-message:wm create-todo-task:w search-query:r list-group-owners:r list-contact-folder-child-folders:r remove-group-member:pw create-sharepoint-list-column:w list-joined-teams:r login:lpw create-sharepoint-site-onenote-section-page:w insert-excel-range:w list-subscriptions:r update-excel-range:w list-onenote-section-pages:r get-virtual-event-webinar:r forward-mail-message:m reply-mail-message:m format-excel-range-border:w get-sharepoint-site-item:r list-team-channels:r list-channel-tabs:r',
  '@xeroapi/xero-mcp-server@0.0.17':
    'list-payroll-leave-types:r list-items:r approve-timesheet:w$p list-payments:r create-tracking-options:w list-quotes:r create-quote:w$ create-payment:$ list-credit-notes:r',
  '@zereight/mcp-gitlab@2.1.64':
    'update_label:w get_ci_catalog_resource:r protect_branch:pw get_merge_request_notes:r delete_issue_emoji_reaction:w! update_draft_note:wm validate_project_ci_lint:r unprotect_branch:pw delete_merge_request_note_emoji_reaction:w! create_merge_request_note:mw download_attachment:rl delete_issue:w! create_issue_link:w get_user:r delete_issue_note_emoji_reaction:w! validate_ci_lint:r list_merge_request_changed_files:r list_draft_notes:r get_label:r update_merge_request_discussion_note:wm list_events:r update_project:wp delete_merge_request_note:w! list_merge_request_versions:r list_branches:r',
  '@digitalocean/mcp@1.0.70':
    'db-cluster-resize:w power-on-droplet:w rebuild-droplet-by-slug:w nfs-file-share-list:r genai-model-eval-create-custom-metric:w nfs-snapshot-get:r reserved-ip-get:r db-cluster-get-mongodb-config:r vpc-list-members:r spaces-key-get:rp restore-droplet:w spaces-key-create:pw reset-droplet-password:pw db-cluster-get:r functions-get-package:r genai-custom-models-update-metadata:w genai-run-evaluation-test-case:wx db-cluster-update-mongodb-config:w nfs-switch-performance-tier:w functions-create-or-update-action:xw docs-search:r genai-batch-inference-cancel:w doks-get-kubeconfig:p doks-get-cluster-upgrades:r certificate-delete:wp!',
  '@tacticlaunch/mcp-linear@1.4.3':
    'linear_getProjectUpdateById:r linear_getRoadmapById:r linear_createManagedOAuthApplication:pw linear_completeRelease:w linear_createComment:m linear_setIssuePriority:w linear_createReleaseNote:w linear_archiveTemplate:w linear_updateCustomerNeed:w linear_addProjectToInitiative:w linear_createOAuthClientCredentialsToken:p linear_updateIssueCustomField:w linear_getDocumentContentHistory:r linear_deleteReleaseNote:w! linear_addIssueToCycle:w linear_createIssueFromTemplate:w linear_unarchiveProjectUpdate:w linear_getReleaseNotes:r linear_createMilestone:w linear_updateDocument:w linear_archiveInitiative:w linear_getProjectUpdates:r linear_updateRoadmap:w linear_getOrganizationAuditEvents:r linear_getCycleDocuments:r',
  '@postman/postman-mcp-server@2.13.0':
    'createFolderComment:m getCollectionFolder:r getTeam:r getComponentVersion:r getWorkspaces:r getWorkspaceActivityFeed:r updateCollectionTags:w publishDocumentation:mw postApiCatalogDiscoveryServices:w runMonitor:xw updateWorkspace:w getAllComponents:r getComponentDraft:r deleteMonitor:w! updateCollectionFolder:w deleteMock:w! getTaggedEntities:r resolveCommentThread:wm deleteEnvironment:w! updateSpecFile:w patchCollection:w patchWorkspaceUpdate:wm deleteSdk:w! searchLearningCenter:r createSdkGitConnection:w',
  '@mondaydotcomorg/monday-api-mcp@3.3.0':
    'create_object_schema:w board_insights:r create_item:w list_automations:r form_questions_editor:w delete_column:w! list_users_and_teams:r create_form:w get_monday_dev_sprints_boards:r get_sprints_metadata:r plan_workflow:rw get_assets:r get_object_schemas:r all_widgets_schema:r delete_item:w! configure_ai_column:w manage_agent:wp workspace_info:r update_assets_on_item:w add_content_to_doc:w read_docs:r get_asset_upload_url:rw',
  '@playwright/mcp@0.0.83':
    'browser_drop:wm browser_hide_highlight:lwr browser_navigate:w browser_localstorage_clear:lw! browser_navigate_back:rw browser_wait_for:r browser_evaluate:x browser_stop_video:rlw browser_localstorage_get:rp browser_start_tracing:lrw browser_close:lrw browser_video_show_actions:lrw browser_click:w',
  '@jarahkon/hass-mcp-server@1.0.10':
    'ha_list_areas:r ha_set_state:w ha_read_file:r ha_install_addon:wx ha_upload_file:w ha_delete_automation:w! ha_create_automation:wx',
  '@delorenj/mcp-server-trello@1.8.1':
    'watch_card:w copy_card:w update_list:w update_card_details:w update_list_position:w add_cards_to_list:w attach_data_to_card:w add_checklist_item:w download_attachment:rl create_checklist:w archive_list:w get_health_detailed:r',
  '@bitwarden/mcp-server@2026.7.0':
    'remove_org_member:pw create_file_send:mwp list:rp reinvite_org_member:mp device_approval_deny:pw restore:w update_org_member:pw update_org_member_groups:pw device_approval_approve_all:p',
  'webflow-mcp-server@1.0.0': 'delete_all_site_scripts:w! components_list:r',
  '@roychri/mcp-server-asana@1.8.0': 'asana_get_tag:r',
}
