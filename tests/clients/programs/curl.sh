#!/bin/sh
# curl with a bearer token: reads, writes and is refused once for each of the argument's refusals.
set -eu
ask() { curl --silent --show-error --max-time 20 --header "Authorization: Bearer $GOOGLE_OAUTH_ACCESS_TOKEN" "$@"; }
directory=https://admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits
ask --fail --output /dev/null --header 'Content-Type: application/json' \
    --data '{"name": "Night", "parentOrgUnitPath": "/"}' "$directory"
printf '{"made": '
ask --fail "$directory/Night?fields=orgUnitPath&prettyPrint=false" | tr -d '\n'
printf ', "deleted": %s' "$(ask --fail --request DELETE --write-out '%{http_code}' "$directory/Night")"
printf ', "refusals": ['
for number in $(seq "$1"); do
    [ "$number" = 1 ] || printf ', '
    printf '["curl", %s]' "$(ask --output /dev/null --write-out '%{http_code}' \
        https://cloudresourcemanager.googleapis.com/v3/folders/730000000001)"
done
printf ']}'
